package dev.decant.runtime;

/**
 * The load that the JVM has to run, as far as probes cannot measure it.
 *
 * @param directBytes direct memory that pools may take at most; 0 for none
 * @param largestHeapBuffer length of the largest byte array that is allocated again and again, such as a fetch
 *     buffer on the heap; 0 for none
 * @param virtualThreads true if the application runs on virtual threads
 */
public record Workload(long directBytes, int largestHeapBuffer, boolean virtualThreads) {

  /** A load without pools, large buffers and virtual threads. */
  public static final Workload NONE = new Workload(0, 0, false);

  /**
   * Checks the sizes.
   *
   * @throws IllegalArgumentException when one is negative
   */
  public Workload {
    if (directBytes < 0) {
      throw new IllegalArgumentException("directBytes: " + directBytes + " is negative");
    }
    if (largestHeapBuffer < 0) {
      throw new IllegalArgumentException("largestHeapBuffer: " + largestHeapBuffer + " is negative");
    }
  }

  /**
   * Returns a copy with another amount of direct memory.
   *
   * @param bytes direct memory that pools may take at most
   * @return a copy
   */
  public Workload withDirectBytes(long bytes) {
    return new Workload(bytes, largestHeapBuffer, virtualThreads);
  }

  /**
   * Returns a copy with another size of heap buffers.
   *
   * @param bytes length of the largest
   * @return a copy
   */
  public Workload withLargestHeapBuffer(int bytes) {
    return new Workload(directBytes, bytes, virtualThreads);
  }

  /**
   * Returns a copy with or without virtual threads.
   *
   * @param used true if the application runs on them
   * @return a copy
   */
  public Workload withVirtualThreads(boolean used) {
    return new Workload(directBytes, largestHeapBuffer, used);
  }
}
