package dev.decant.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Probes of this JVM when its image has no management modules: what {@code java.base} and files tell. */
final class BareProbes implements RuntimeProbes {
  private final ContainerLimits limits = ContainerLimits.read(Path.of("/"), "self");

  @Override
  public Optional<VmFlag> flag(String name) {
    return Optional.empty();
  }

  @Override
  public List<String> arguments() {
    return List.of();
  }

  @Override
  public Optional<String> property(String name) {
    return Optional.ofNullable(System.getProperty(name));
  }

  @Override
  public int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  @Override
  public long maxHeapBytes() {
    return Runtime.getRuntime().maxMemory();
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
    return OptionalLong.empty();
  }
}
