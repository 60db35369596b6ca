package dev.decant.lab.probe;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time of threads that the JVM does not show as Java threads, from Linux's {@code /proc}. Threads that have
 * ended are not counted, so the JVM must keep its compiler threads ({@code -XX:-UseDynamicNumberOfCompilerThreads}).
 */
final class ThreadCpu {
  private static final Path TASKS = Path.of("/proc/self/task");

  private ThreadCpu() {}

  /** Returns the nanoseconds that C1 and C2 have used, or -1 without {@code /proc}. */
  static long ofCompilerThreads() {
    if (!Files.isDirectory(TASKS)) {
      return -1;
    }
    long nanos = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        nanos += isCompiler(task) ? cpuNanos(task) : 0;
      }
    } catch (IOException e) {
      return -1;
    }
    return nanos;
  }

  private static boolean isCompiler(Path task) {
    try {
      String name = Files.readString(task.resolve("comm"));
      return name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler");
    } catch (IOException e) {
      return false; // the thread has just ended
    }
  }

  /** Reads the first number of {@code schedstat}: nanoseconds on a processor. */
  private static long cpuNanos(Path task) throws IOException {
    String stat = Files.readString(task.resolve("schedstat"));
    return Long.parseLong(stat.substring(0, stat.indexOf(' ')));
  }
}
