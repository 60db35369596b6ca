package dev.decant.runtime;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Probes of a HotSpot JVM on this machine, by its management beans and the files of its control groups. The beans may
 * be this JVM's own or proxies of another JVM's. Needs the modules {@code java.management} and {@code jdk.management}.
 */
public final class ManagementProbes implements RuntimeProbes {
  /** An average over a shorter uptime would describe only the start of the JVM. */
  private static final long ENOUGH_UPTIME_MILLIS = 10_000;

  private final HotSpotDiagnosticMXBean hotspot;
  private final List<String> arguments;
  private final Map<String, String> properties;
  private final int processors;
  private final OptionalLong allocationBytesPerSecond;
  private OptionalLong openFiles = OptionalLong.empty();
  private final ContainerLimits limits;

  private ManagementProbes(RuntimeMXBean runtime, HotSpotDiagnosticMXBean hotspot, int processors, String process,
      OptionalLong allocationBytesPerSecond) {
    this.hotspot = hotspot;
    this.arguments = List.copyOf(runtime.getInputArguments());
    this.properties = runtime.getSystemProperties();
    this.processors = processors;
    this.allocationBytesPerSecond = allocationBytesPerSecond;
    this.limits = ContainerLimits.read(Path.of("/"), process);
  }

  /**
   * Returns probes of another JVM.
   *
   * @param runtime its bean
   * @param hotspot its bean; called as long as the probes are used
   * @param processors the processors it counts with
   * @param allocationBytesPerSecond its measured rate of allocation; empty when it was not measured
   * @return probes, which read at once what they can
   */
  public static ManagementProbes of(RuntimeMXBean runtime, HotSpotDiagnosticMXBean hotspot, int processors,
      OptionalLong allocationBytesPerSecond) {
    return new ManagementProbes(runtime, hotspot, processors, Long.toString(runtime.getPid()),
        allocationBytesPerSecond);
  }

  /**
   * Adds the value of {@link #openFiles()}. Call it before the probes are used.
   *
   * @param count how many files and sockets the JVM has open
   * @return this
   */
  public ManagementProbes openFiles(long count) {
    openFiles = OptionalLong.of(count);
    return this;
  }

  /** Returns probes of this JVM; empty when it is no HotSpot. */
  static Optional<RuntimeProbes> local() {
    HotSpotDiagnosticMXBean hotspot = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (hotspot == null) {
      return Optional.empty();
    }
    RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    return Optional.of(new ManagementProbes(runtime, hotspot, Runtime.getRuntime().availableProcessors(), "self",
        averageAllocation(runtime.getUptime())));
  }

  private static OptionalLong averageAllocation(long uptimeMillis) {
    if (uptimeMillis < ENOUGH_UPTIME_MILLIS
        || !(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)) {
      return OptionalLong.empty();
    }
    long bytes = threads.getTotalThreadAllocatedBytes(); // negative when switched off
    return bytes < 0 ? OptionalLong.empty() : OptionalLong.of(bytes / uptimeMillis * 1000);
  }

  @Override
  public Optional<VmFlag> flag(String name) {
    try {
      VMOption option = hotspot.getVMOption(name);
      boolean chosen = option.getOrigin() == VMOption.Origin.DEFAULT
          || option.getOrigin() == VMOption.Origin.ERGONOMIC;
      return Optional.of(new VmFlag(option.getValue(), !chosen));
    } catch (RuntimeException e) { // this version has no such flag, or the other JVM has ended
      return Optional.empty();
    }
  }

  @Override
  public List<String> arguments() {
    return arguments;
  }

  @Override
  public Optional<String> property(String name) {
    return Optional.ofNullable(properties.get(name));
  }

  @Override
  public int processors() {
    return processors;
  }

  /** Returns the flag's value, because beans and {@code Runtime.maxMemory} leave out a survivor space. */
  @Override
  public long maxHeapBytes() {
    long bytes = Reading.number(this, "MaxHeapSize");
    return bytes > 0 ? bytes : Long.MAX_VALUE;
  }

  @Override
  public OptionalLong memoryBytes() {
    return limits.memorySeen(Path.of("/"));
  }

  @Override
  public OptionalLong containerMemoryBytes() {
    return limits.memoryBytes();
  }

  @Override
  public OptionalDouble containerCpus() {
    return limits.cpus();
  }

  @Override
  public OptionalLong allocationBytesPerSecond() {
    return allocationBytesPerSecond;
  }

  @Override
  public OptionalLong openFiles() {
    return openFiles;
  }
}
