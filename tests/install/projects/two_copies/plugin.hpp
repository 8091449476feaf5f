// What a plugin that uses Ferry offers to a program that does not.
#pragma once

struct Plugin {
  int (*work)();                               ///< arrays on host and sim; 0, or which step went wrong
  void (*set_sink)();                          ///< takes the error sink of its Ferry
  void (*report)(const char*);                 ///< hands a text to the error sink of its Ferry
  const char* (*received)();                   ///< the last text that its own sink got
  unsigned long (*live_bytes)();               ///< what its Ferry counts as live
  unsigned long (*pool_allocations)();         ///< ever, by the cached pool of its sim:0
  unsigned long (*set_memory)(unsigned long);  ///< of its sim:0, in bytes; gives the former size
  void (*hold)();                              ///< makes an array of 800 bytes that lives until the process ends
};
