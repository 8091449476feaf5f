# Always built: the fallback of every other backend.
set(FERRY_BACKEND_SOURCES host_backend.cpp host_errors.cpp host_handles.cpp host_ledger.cpp host_space.cpp)
