package dev.decant.runtime;

/**
 * The load that the runtime has to bear, as far as no probe can see it.
 *
 * @param directBytes direct memory that pools may take at most; 0 for none
 * @param largestHeapBuffer length of the largest byte array that is allocated again and again, such as a fetch buffer
 *     on the heap; 0 for none
 * @param virtualThreads whether the application runs on virtual threads
 */
public record Workload(long directBytes, int largestHeapBuffer, boolean virtualThreads) {

  /** Nothing that could misfit by its size. */
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
   * With other pools.
   *
   * @param bytes direct memory that they may take at most
   * @return a copy
   */
  public Workload withDirectBytes(long bytes) {
    return new Workload(bytes, largestHeapBuffer, virtualThreads);
  }

  /**
   * With other buffers on the heap.
   *
   * @param bytes length of the largest
   * @return a copy
   */
  public Workload withLargestHeapBuffer(int bytes) {
    return new Workload(directBytes, bytes, virtualThreads);
  }

  /**
   * With or without virtual threads.
   *
   * @param used whether the application runs on them
   * @return a copy
   */
  public Workload withVirtualThreads(boolean used) {
    return new Workload(directBytes, largestHeapBuffer, used);
  }
}
