package dev.decant.runtime;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A JVM on Linux without findings, which a test changes. */
final class FakeProbes implements RuntimeProbes {
  static final long MIB = 1024 * 1024;

  private final Map<String, VmFlag> flags = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private List<String> arguments = List.of();
  private int processors = 4;
  private long heapBytes;
  private OptionalLong memoryBytes = OptionalLong.of(16_384 * MIB);
  private OptionalLong containerMemoryBytes = OptionalLong.empty();
  private OptionalDouble containerCpus = OptionalDouble.empty();
  private OptionalLong allocation = OptionalLong.empty();
  private OptionalLong openFiles = OptionalLong.empty();

  FakeProbes() {
    chosen("UseG1GC", "true");
    chosen("UseSerialGC", "false");
    chosen("G1HeapRegionSize", "4194304");
    chosen("MaxDirectMemorySize", "0");
    chosen("ParallelGCThreads", "4");
    chosen("ConcGCThreads", "1");
    chosen("TieredStopAtLevel", "4");
    chosen("ActiveProcessorCount", "-1");
    chosen("NativeMemoryTracking", "off");
    heap(4096, 2457);
    property("os.name", "Linux");
    property("java.vm.info", "mixed mode, sharing");
  }

  FakeProbes chosen(String flag, String value) {
    flags.put(flag, new VmFlag(value, false));
    return this;
  }

  FakeProbes given(String flag, String value) {
    flags.put(flag, new VmFlag(value, true));
    return this;
  }

  FakeProbes collector(String flag, boolean given) {
    for (String collector : List.of("UseG1GC", "UseSerialGC", "UseZGC")) {
      chosen(collector, "false");
    }
    flags.put(flag, new VmFlag("true", given));
    return this;
  }

  FakeProbes heap(long mib, long youngMib) {
    heapBytes = mib * MIB;
    return chosen("MaxHeapSize", Long.toString(heapBytes)).chosen("MaxNewSize", Long.toString(youngMib * MIB));
  }

  FakeProbes openFiles(long count) {
    openFiles = OptionalLong.of(count);
    return this;
  }

  @Override
  public OptionalLong openFiles() {
    return openFiles;
  }

  FakeProbes noFlags() {
    flags.clear();
    return this;
  }

  FakeProbes property(String name, String value) {
    properties.put(name, value);
    return this;
  }

  FakeProbes arguments(String... values) {
    arguments = List.of(values);
    return this;
  }

  FakeProbes processors(int count) {
    processors = count;
    return this;
  }

  FakeProbes memory(long mib) {
    memoryBytes = OptionalLong.of(mib * MIB);
    return this;
  }

  FakeProbes containerMemory(long mib) {
    containerMemoryBytes = OptionalLong.of(mib * MIB);
    return this;
  }

  FakeProbes containerCpus(double cpus) {
    containerCpus = OptionalDouble.of(cpus);
    return this;
  }

  FakeProbes allocatesPerSecond(long mib) {
    allocation = OptionalLong.of(mib * MIB);
    return this;
  }

  RuntimeCheck check() {
    return RuntimeCheck.run(this, Workload.NONE);
  }

  RuntimeCheck check(Workload workload) {
    return RuntimeCheck.run(this, workload);
  }

  @Override
  public Optional<VmFlag> flag(String name) {
    return Optional.ofNullable(flags.get(name));
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

  @Override
  public long maxHeapBytes() {
    return heapBytes;
  }

  @Override
  public OptionalLong memoryBytes() {
    return memoryBytes;
  }

  @Override
  public OptionalLong containerMemoryBytes() {
    return containerMemoryBytes;
  }

  @Override
  public OptionalDouble containerCpus() {
    return containerCpus;
  }

  @Override
  public OptionalLong allocationBytesPerSecond() {
    return allocation;
  }
}
