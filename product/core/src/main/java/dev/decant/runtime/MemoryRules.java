package dev.decant.runtime;

import java.util.List;
import java.util.OptionalLong;

/** Checks that heap and direct memory fit into their bounds and into the container. */
final class MemoryRules {
  /** A cure never names a heap smaller than this. */
  private static final long LEAST_HEAP_BYTES = 64 * Sizes.MIB;

  private static final String BOX_CACHE = "AutoBoxCacheMax";
  private static final long DEFAULT_BOXES = 127;
  private static final long LEAST_BOXES = 1_024;
  private static final String SMALLER_POOLS = "smaller pools (decant.fetch.memory.bytes, buffer.memory)";

  private MemoryRules() {}

  static void check(RuntimeProbes probes, Workload workload, List<Finding> to) {
    if (probes.flag("MaxDirectMemorySize").isEmpty()) {
      return;
    }
    boxes(probes, to);
    direct(probes, workload, to);
    container(probes, workload, to);
  }

  /**
   * Reports small caches of boxed integers. The JDK's epoll selector keeps descriptors as Integer objects, and
   * allocates one per report for descriptors beyond the cache.
   */
  private static void boxes(RuntimeProbes probes, List<Finding> to) {
    long open = probes.openFiles().orElse(0);
    long cached = Reading.isGiven(probes, BOX_CACHE) ? Reading.number(probes, BOX_CACHE) : DEFAULT_BOXES;
    if (open > cached) {
      to.add(Finding.info("memory.boxes", open + " files and sockets are open, and the JVM keeps Integer objects up to "
          + cached + (cached == DEFAULT_BOXES ? "" : " (-XX:" + BOX_CACHE + ")"),
          "the JDK's selector allocates 16 bytes for each socket with a higher number, whenever that is ready",
          "-XX:" + BOX_CACHE + '=' + Math.max(LEAST_BOXES, Long.highestOneBit(open) << 2)));
    }
  }

  static long directBound(RuntimeProbes probes) {
    long flag = Reading.number(probes, "MaxDirectMemorySize");
    return flag > 0 ? flag : probes.maxHeapBytes(); // 0 stands for the size of the heap
  }

  private static String origin(RuntimeProbes probes) {
    return Reading.number(probes, "MaxDirectMemorySize") > 0
        ? " (-XX:MaxDirectMemorySize)"
        : " (as the heap, since -XX:MaxDirectMemorySize is not given)";
  }

  private static void direct(RuntimeProbes probes, Workload workload, List<Finding> to) {
    long bound = directBound(probes);
    if (workload.directBytes() > bound) {
      to.add(Finding.warning("memory.direct",
          "direct memory is bounded to " + Sizes.text(bound) + origin(probes) + " and pools may take "
              + Sizes.text(workload.directBytes()),
          "under load the pools fill up, and then allocations fail with OutOfMemoryError",
          "-XX:MaxDirectMemorySize=" + Sizes.roundedFlag(workload.directBytes())
              + " or more, or " + SMALLER_POOLS));
    }
  }

  private static void container(RuntimeProbes probes, Workload workload, List<Finding> to) {
    OptionalLong limit = probes.containerMemoryBytes();
    long heap = probes.maxHeapBytes();
    if (limit.isEmpty()) {
      return;
    }
    boolean needed = heap + workload.directBytes() > limit.getAsLong();
    long direct = needed ? workload.directBytes() : directBound(probes);
    if (!needed && heap + direct <= limit.getAsLong()) {
      return;
    }
    String measured = "a heap of " + Sizes.text(heap) + " and direct memory of " + Sizes.text(direct)
        + (needed ? ", as pools may take" : origin(probes)) + ", are more than the container's limit of "
        + Sizes.text(limit.getAsLong());
    String why = "the system kills a process that goes beyond it, without a word in the log";
    long heapThatFits = (limit.getAsLong() - direct) / 4 * 3; // a quarter stays for stacks, code and the JVM itself
    to.add(needed
        ? Finding.warning("memory.container", measured, why,
            heapThatFits >= LEAST_HEAP_BYTES
                ? "-Xmx" + heapThatFits / Sizes.MIB
                    + "m or less, which leaves room for stacks and code, or a higher limit"
                : "a higher limit, or " + SMALLER_POOLS)
        : Finding.info("memory.container", measured, why, smallerBound(limit.getAsLong(), heap, workload)));
  }

  /**
   * Returns the bound of direct memory to set. It is what the container has room for: the pools may grow later, so
   * their current size does not count.
   */
  private static String smallerBound(long limit, long heap, Workload workload) {
    long directThatFits = (limit - heap) / 4 * 3; // a quarter stays for stacks, code and the JVM itself
    return directThatFits >= Math.max(Sizes.MIB, workload.directBytes())
        ? "-XX:MaxDirectMemorySize=" + directThatFits / Sizes.MIB + "m or less, which leaves room for stacks and code;"
            + " pools may take " + Sizes.text(workload.directBytes()) + " now"
        : "a smaller heap (-Xmx), or a higher limit";
  }
}
