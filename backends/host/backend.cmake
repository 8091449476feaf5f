# Always built: the fallback of every other backend.
set(FERRY_BACKEND_SOURCES host_backend.cpp host_handles.cpp host_space.cpp)
