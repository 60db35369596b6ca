package dev.decant.carriers;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Calls {@code getpriority(2)} and {@code setpriority(2)} of the C library. In Linux a nice value belongs to a thread,
 * and {@code PRIO_PROCESS} takes a thread's number. Any thread may call.
 */
final class LinuxPriorities implements ThreadPriorities {
  private static final int PRIO_PROCESS = 0;
  private static final int EPERM = 1;
  private static final int ESRCH = 3;
  private static final int EACCES = 13;
  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = CALL_STATE.varHandle(PathElement.groupElement("errno"));

  private final MethodHandle get;
  private final MethodHandle set;

  /**
   * Binds both functions.
   *
   * @throws IllegalCallerException without native access
   * @throws java.util.NoSuchElementException where the C library has no such functions
   */
  @SuppressWarnings("restricted") // the caller has checked that native access is granted
  LinuxPriorities() {
    Linker linker = Linker.nativeLinker();
    get = linker.downcallHandle(linker.defaultLookup().findOrThrow("getpriority"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    set = linker.downcallHandle(linker.defaultLookup().findOrThrow("setpriority"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
        Linker.Option.captureCallState("errno"));
  }

  @Override
  public int nice(int threadId) throws IOException {
    int nice;
    try {
      nice = (int) get.invokeExact(PRIO_PROCESS, threadId);
    } catch (Throwable e) {
      throw new IllegalStateException("getpriority does not take two numbers", e);
    }
    // The result -1 is a nice value and an error, too. The only error of reading is that the thread has ended.
    if (nice == -1 && !Files.exists(Path.of("/proc/self/task/" + threadId))) {
      throw new IOException("it has ended");
    }
    return nice;
  }

  @Override
  public void setNice(int threadId, int nice) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      if (call(state, threadId, nice) != 0) {
        throw new IOException(reason((int) ERRNO.get(state, 0L), nice));
      }
    }
  }

  private int call(MemorySegment state, int threadId, int nice) {
    try {
      return (int) set.invokeExact(state, PRIO_PROCESS, threadId, nice);
    } catch (Throwable e) {
      throw new IllegalStateException("setpriority does not take three numbers", e);
    }
  }

  private static String reason(int errno, int nice) {
    return switch (errno) {
      case ESRCH -> "it has ended";
      case EACCES, EPERM -> "the system does not permit nice " + nice
          + ": raising a priority needs CAP_SYS_NICE or a higher RLIMIT_NICE";
      default -> "setpriority failed with errno " + errno;
    };
  }
}
