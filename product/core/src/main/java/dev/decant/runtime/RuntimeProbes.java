package dev.decant.runtime;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Reads the values of a JVM for the check. Each value may be unknown; findings that need it are then not made.
 * Implementations throw nothing.
 */
public interface RuntimeProbes {
  /**
   * Returns a flag of the HotSpot JVM.
   *
   * @param name without {@code -XX:}
   * @return its value now; empty when the JVM has no such flag or does not report it
   */
  Optional<VmFlag> flag(String name);

  /**
   * Returns the arguments of the JVM itself, from command line and environment.
   *
   * @return in their order; empty when unknown
   */
  List<String> arguments();

  /**
   * Returns a system property.
   *
   * @param name of it
   * @return its value; empty when it is not set
   */
  Optional<String> property(String name);

  /**
   * Returns the number of processors that the JVM counts with.
   *
   * @return at least 1
   */
  int processors();

  /**
   * Returns the size that the heap may grow to.
   *
   * @return bytes
   */
  long maxHeapBytes();

  /**
   * Returns the memory that the JVM counts with: that of the machine, or the container's limit if that is less.
   *
   * @return bytes; empty when unknown
   */
  OptionalLong memoryBytes();

  /**
   * Returns the container's limit of memory.
   *
   * @return bytes; empty when there is none or it is unknown
   */
  OptionalLong containerMemoryBytes();

  /**
   * Returns the container's limit of processor time.
   *
   * @return processors, perhaps a fraction; empty when there is none or it is unknown
   */
  OptionalDouble containerCpus();

  /**
   * Returns the application's rate of allocation on the heap.
   *
   * @return bytes per second; empty when it has not been measured, as at the start of a JVM
   */
  OptionalLong allocationBytesPerSecond();

  /**
   * Returns the number of files and sockets that the process has open.
   *
   * @return their number; empty, the default, when it was not counted
   */
  default OptionalLong openFiles() {
    return OptionalLong.empty();
  }
}
