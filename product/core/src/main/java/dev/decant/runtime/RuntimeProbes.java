package dev.decant.runtime;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The questions of the check to a JVM. Each value may be "unknown"; findings that need it stay silent then.
 * Implementations throw nothing.
 */
public interface RuntimeProbes {
  /**
   * A flag of the HotSpot JVM.
   *
   * @param name without {@code -XX:}
   * @return its value now; empty when the JVM has no such flag or does not tell
   */
  Optional<VmFlag> flag(String name);

  /**
   * The arguments of the JVM itself, from command line and environment.
   *
   * @return in their order; empty when unknown
   */
  List<String> arguments();

  /**
   * A system property.
   *
   * @param name of it
   * @return its value; empty when it is not set
   */
  Optional<String> property(String name);

  /**
   * The processors the JVM counts with.
   *
   * @return at least 1
   */
  int processors();

  /**
   * How large the heap may grow.
   *
   * @return bytes
   */
  long maxHeapBytes();

  /**
   * The memory the JVM counts with: that of the machine, or the container's limit if that is less.
   *
   * @return bytes; empty when unknown
   */
  OptionalLong memoryBytes();

  /**
   * The container's limit of memory.
   *
   * @return bytes; empty when there is none or it is unknown
   */
  OptionalLong containerMemoryBytes();

  /**
   * The container's limit of processor time.
   *
   * @return processors, perhaps a fraction; empty when there is none or it is unknown
   */
  OptionalDouble containerCpus();

  /**
   * How fast the application allocates on the heap.
   *
   * @return bytes per second; empty when it has not been measured, as at the start of a JVM
   */
  OptionalLong allocationBytesPerSecond();

  /**
   * How many files and sockets the process has open.
   *
   * @return their number; empty, the default, when nobody has looked
   */
  default OptionalLong openFiles() {
    return OptionalLong.empty();
  }
}
