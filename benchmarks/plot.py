"""Pictures of what host_peers.py and gpu_peers.py have measured, for docs/performance.md.

Usage: plot.py RESULT.json PICTURE.svg TITLE. Needs Matplotlib.
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

# The same result must give the same file.
matplotlib.rcParams["svg.hashsalt"] = "ferry"


def rows_of(result):
    """{work: {series: GB/s}}, and the limit in GB/s of each work."""
    rates, limits = {}, {}
    for row in result["ferry"]["benchmarks"]:
        if "GB/s" not in row:
            continue
        name = row["name"].split("/iterations")[0].removesuffix("/manual_time")
        series = "Ferry"
        if "numpy" in result:
            name, threads = name.rsplit("/", 1)
            series = f"Ferry, {threads.removeprefix('threads:')} thread(s)"
        rates.setdefault(name, {})[series] = row["GB/s"]
        share = row.get("of_memcpy", row.get("of_pinned_link"))
        limits[name] = max(limits.get(name, 0), row["GB/s"] / share)
    for name, rate in result.get("numpy", {}).items():
        rates[name]["NumPy"] = rate
    for name, peers in result.get("peers", {}).items():
        for peer, label in (("torch", "PyTorch"), ("cupy", "CuPy"), ("numba", "Numba")):
            if peers.get(peer) and name in rates:
                rates[name][label] = peers[peer]
    return rates, limits


def main():
    result, picture, title = sys.argv[1:]
    with open(result) as file:
        rates, limits = rows_of(json.load(file))
    series = list(dict.fromkeys(label for row in rates.values() for label in row))
    height = 0.8 / len(series)
    figure, axes = plt.subplots(figsize=(9, 0.55 * len(rates) + 1.2))
    for number, label in enumerate(series):
        places = [place for place, row in enumerate(rates.values()) if label in row]
        shares = [row[label] / limits[name] for name, row in rates.items() if label in row]
        axes.barh([place + (number - (len(series) - 1) / 2) * height for place in places], shares, height, label=label)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rates)), rates)
    axes.invert_yaxis()
    axes.set_xlabel("share of a dense copy of as many bytes in the same run")
    axes.set_title(title)
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})


main()
