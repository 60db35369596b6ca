package dev.decant.runtime;

import java.util.List;
import java.util.OptionalLong;

/**
 * Checks the garbage collector: which one runs, whether it is sound, how often it runs, and whether buffers fit into
 * its regions.
 */
final class CollectorRules {
  /** Heaps below this size are a finding even if the rate of allocation is unknown. */
  static final long SMALL_HEAP_BYTES = 128 * Sizes.MIB;
  /** With this rate, collections are a considerable part of the work. */
  static final int MANY_COLLECTIONS_PER_SECOND = 5;
  /**
   * With less memory, or with one processor, HotSpot chooses the serial collector: 2 GiB minus memory that firmware may
   * keep.
   */
  static final long SERVER_MEMORY_BYTES = 1792 * Sizes.MIB;
  /** Most bytes in front of the elements of a byte array. */
  private static final int ARRAY_HEADER_BYTES = 24;
  /** Java 25 before this update moves pinned objects (JDK-8377811). */
  private static final int FIRST_SOUND_UPDATE_OF_25 = 3;
  private static final String PROCESSOR_COUNT = "ActiveProcessorCount";

  private CollectorRules() {}

  static void check(RuntimeProbes probes, Workload workload, List<Finding> to) {
    serial(probes, to);
    pinned(probes, to);
    heap(probes, to);
    humongous(probes, workload, to);
  }

  private static void serial(RuntimeProbes probes, List<Finding> to) {
    boolean given = Reading.isGiven(probes, "UseSerialGC");
    boolean meant = given && probes.processors() == 1; // with one processor, a parallel collector has no advantage
    if (!Reading.isOn(probes, "UseSerialGC") || meant) {
      return;
    }
    String measured = given
        ? "the serial collector is asked for (-XX:+UseSerialGC) and the JVM has " + probes.processors() + " processors"
        : "the JVM chose the serial collector silently, because " + reasonForSerial(probes);
    to.add(Finding.warning("gc.serial", measured,
        "one thread collects while all others stand still, so each pause grows with the live data",
        given
            ? "-XX:+UseG1GC instead of -XX:+UseSerialGC"
            : cureOfReason(probes) + ", or name the collector: -XX:+UseG1GC, or -XX:+UseSerialGC if it is meant"));
  }

  private static String reasonForSerial(RuntimeProbes probes) {
    OptionalLong memory = probes.memoryBytes();
    if (probes.processors() == 1) {
      String origin = Reading.isGiven(probes, PROCESSOR_COUNT)
          ? " (-XX:" + PROCESSOR_COUNT + "=1)"
          : probes.containerCpus().isPresent()
              ? " (the container has " + probes.containerCpus().getAsDouble() + ")"
              : "";
      return "it sees one processor" + origin;
    }
    return memory.isPresent() && memory.getAsLong() < SERVER_MEMORY_BYTES
        ? "it sees " + Sizes.text(memory.getAsLong()) + " of memory, less than " + Sizes.text(SERVER_MEMORY_BYTES)
        : "it does not take this machine for a server";
  }

  private static String cureOfReason(RuntimeProbes probes) {
    if (probes.processors() == 1) {
      return Reading.isGiven(probes, PROCESSOR_COUNT)
          ? "-XX:" + PROCESSOR_COUNT + "=2 or more"
          : "give it two processors";
    }
    return "give it " + Sizes.text(SERVER_MEMORY_BYTES) + " or more";
  }

  /**
   * Reports G1 of Java 25.0.0 to 25.0.2. An optional evacuation there may move an array that native code holds by
   * {@code GetPrimitiveArrayCritical}. The native code does not notice, so compressed data may be corrupt without an
   * error (JDK-8377811).
   */
  private static void pinned(RuntimeProbes probes, List<Finding> to) {
    String version = Reading.property(probes, "java.version");
    if (!movesPinnedObjects(version) || !Reading.isOn(probes, "UseG1GC")) {
      return;
    }
    to.add(Finding.warning("gc.pinned",
        "this is Java " + version + " with G1, which may move an array while native code uses it (JDK-8377811, in"
            + " 25.0.0 to 25.0.2)",
        "compression in native code, such as zstd-jni and java.util.zip, may then write corrupt data without an error",
        "Java 25.0.3 or newer, or another collector: -XX:+UseParallelGC or -XX:+UseZGC"));
  }

  private static boolean movesPinnedObjects(String javaVersion) {
    try {
      Runtime.Version version = Runtime.Version.parse(javaVersion);
      return version.feature() == 25 && version.interim() == 0 && version.update() < FIRST_SOUND_UPDATE_OF_25;
    } catch (IllegalArgumentException e) { // the version is missing or not in the JDK's format
      return false;
    }
  }

  private static void heap(RuntimeProbes probes, List<Finding> to) {
    long heap = probes.maxHeapBytes();
    long young = young(probes);
    OptionalLong rate = probes.allocationBytesPerSecond();
    if (rate.isEmpty()) {
      if (heap < SMALL_HEAP_BYTES) {
        to.add(Finding.info("heap.small",
            "the heap may grow to " + Sizes.text(heap) + ", its young generation to " + Sizes.text(young)
                + "; how fast the application allocates is not known",
            "the smaller the young generation, the more often it is collected",
            "-Xmx" + SMALL_HEAP_BYTES / Sizes.MIB + "m or more"));
      }
      return;
    }
    double perSecond = (double) rate.getAsLong() / Math.max(1, young);
    if (perSecond >= MANY_COLLECTIONS_PER_SECOND) {
      String fitting = Reading.isGiven(probes, "MaxNewSize")
          ? "-Xmn" + Sizes.roundedFlag(rate.getAsLong())
          : "-Xmx" + Sizes.roundedFlag((long) (heap * perSecond));
      to.add(Finding.warning("gc.frequent",
          "the application allocates " + Sizes.text(rate.getAsLong()) + " per second and the young generation has "
              + Sizes.text(young) + " at most: at least " + (long) perSecond + " collections per second",
          "each collection stops all threads, and objects that live for moments only are copied and promoted",
          fitting + " or more, for one collection per second"));
    }
  }

  /** Returns the size that the young generation may grow to. The flag is unlimited for some collectors. */
  private static long young(RuntimeProbes probes) {
    long heap = probes.maxHeapBytes();
    long flag = Reading.number(probes, "MaxNewSize");
    return flag > 0 && flag < heap ? flag : heap;
  }

  private static void humongous(RuntimeProbes probes, Workload workload, List<Finding> to) {
    long region = Reading.number(probes, "G1HeapRegionSize");
    long object = (long) workload.largestHeapBuffer() + ARRAY_HEADER_BYTES;
    if (workload.largestHeapBuffer() == 0 || region <= 0 || object <= region / 2
        || !Reading.isOn(probes, "UseG1GC")) {
      return;
    }
    long fitting = Long.highestOneBit(2 * object - 1) * 2;
    to.add(Finding.info("gc.humongous",
        "buffers of " + Sizes.text(workload.largestHeapBuffer()) + " are more than half a G1 region, which has "
            + Sizes.text(region),
        "G1 gives each such buffer regions of its own, in the old generation, and collects more often for them",
        "-XX:G1HeapRegionSize=" + fitting / Sizes.MIB + "m, or buffers below " + Sizes.text(region / 2)));
  }
}
