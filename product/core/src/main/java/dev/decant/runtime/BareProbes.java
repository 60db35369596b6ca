package dev.decant.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Probes of this JVM for an image without management modules. They use {@code java.base} and files only. */
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
