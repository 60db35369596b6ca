package dev.decant.carriers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Finds the carrier threads among the threads that Linux lists.
 *
 * <p>A name does not identify them: workers of any pool are called {@code ForkJoinPool-N-worker-M}. N counts the pools
 * in the order of their creation, so it is 2 or more if the application made one first. Linux keeps 15 bytes of a name.
 * But the JDK puts its carriers into a thread group of their own. So the thread group supplies the names of the
 * carriers, and {@code /proc} the threads with these names. If another Java thread has one of these names, or the
 * numbers differ, the result is an error instead of a wrong thread.
 */
final class CarrierFinder {
  private static final String GROUP = "CarrierThreads";
  private static final int COMM_BYTES = 15;
  private static final int HEAD = 7;
  private static final int TAIL = 6;
  /** Attempts to read a consistent list. A new thread has the name of its creator for some microseconds. */
  private static final int TRIES = 5;
  private static final long PAUSE_NANOS = 2_000_000;

  private final Path tasks;
  private final Supplier<List<Thread>> platformThreads;

  CarrierFinder(Path tasks, Supplier<List<Thread>> platformThreads) {
    this.tasks = tasks;
    this.platformThreads = platformThreads;
  }

  static CarrierFinder ofThisJvm() {
    return new CarrierFinder(Path.of("/proc/self/task"), CarrierFinder::livingThreads);
  }

  /**
   * Finds the carriers.
   *
   * @return their names by thread number
   * @throws IOException with one sentence, when they cannot be distinguished from other threads
   */
  Map<Integer, String> find() throws IOException {
    for (int attempt = 1;; attempt++) {
      try {
        return findOnce();
      } catch (IOException e) {
        if (attempt == TRIES) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private Map<Integer, String> findOnce() throws IOException {
    List<String> carriers = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (Thread thread : platformThreads.get()) {
      ThreadGroup group = thread.getThreadGroup(); // null once it has ended
      (group != null && group.getName().equals(GROUP) ? carriers : others).add(thread.getName());
    }
    Map<Integer, String> found = new LinkedHashMap<>();
    for (Map.Entry<Integer, String> task : comms().entrySet()) {
      String comm = task.getValue();
      if (carriers.stream().anyMatch(name -> matches(comm, name))) {
        requireNone(others, comm);
        found.put(task.getKey(), comm);
      }
    }
    if (found.size() != carriers.size()) {
      throw new IOException("there are " + carriers.size() + " carrier threads, but " + found.size()
          + " threads of the system are named like them");
    }
    return found;
  }

  private static void requireNone(List<String> others, String comm) throws IOException {
    for (String name : others) {
      if (matches(comm, name)) {
        throw new IOException("the carrier threads and the thread \"" + name + "\" are all called \"" + comm
            + "\" by the system; give the latter another name");
      }
    }
  }

  /**
   * Returns true if a name of Linux is a cut name of Java. JDK 25 keeps the beginning of a long name; another JVM may
   * keep both ends.
   */
  static boolean matches(String comm, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= COMM_BYTES) {
      return comm.equals(name);
    }
    String end = new String(bytes, bytes.length - TAIL, TAIL, StandardCharsets.UTF_8);
    return comm.equals(new String(bytes, 0, COMM_BYTES, StandardCharsets.UTF_8))
        || comm.equals(new String(bytes, 0, HEAD, StandardCharsets.UTF_8) + ".." + end);
  }

  private Map<Integer, String> comms() throws IOException {
    Map<Integer, String> comms = new LinkedHashMap<>();
    try (DirectoryStream<Path> directories = Files.newDirectoryStream(tasks)) {
      for (Path task : directories) {
        try {
          String comm = Files.readString(task.resolve("comm"));
          comms.put(Integer.parseInt(String.valueOf(task.getFileName())), comm.stripTrailing());
        } catch (NoSuchFileException e) {
          // The thread has just ended.
        }
      }
    }
    return comms;
  }

  private static List<Thread> livingThreads() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    for (ThreadGroup parent = root.getParent(); parent != null; parent = root.getParent()) {
      root = parent;
    }
    Thread[] threads = new Thread[root.activeCount() * 2 + 16];
    int count = root.enumerate(threads);
    while (count == threads.length) { // a full array may lack threads
      threads = new Thread[threads.length * 2];
      count = root.enumerate(threads);
    }
    return Arrays.asList(threads).subList(0, count);
  }
}
