package dev.decant.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether a JVM suits a messaging client. Immutable: what was found when it ran.
 *
 * <table>
 * <caption>Kinds of findings</caption>
 * <tr><th>id</th><th>what it says</th></tr>
 * <tr><td>{@code gc.serial}</td><td>the serial collector, chosen silently or on more than one processor</td></tr>
 * <tr><td>{@code gc.pinned}</td><td>G1 of Java 25.0.0 to 25.0.2, which may corrupt what native code writes</td></tr>
 * <tr><td>{@code gc.frequent}</td><td>many collections per second at the measured rate of allocation</td></tr>
 * <tr><td>{@code gc.humongous}</td><td>buffers of more than half a G1 region</td></tr>
 * <tr><td>{@code heap.small}</td><td>a small heap, the rate of allocation not being known</td></tr>
 * <tr><td>{@code memory.direct}</td><td>pools that may take more than the bound of direct memory</td></tr>
 * <tr><td>{@code memory.boxes}</td><td>more open sockets than cached Integer objects, seen from outside</td></tr>
 * <tr><td>{@code memory.container}</td><td>heap and direct memory beyond the container's limit</td></tr>
 * <tr><td>{@code cpu.quota}</td><td>more threads than the container's share of processors</td></tr>
 * <tr><td>{@code carriers.few}, {@code carriers.many}</td><td>carrier threads that do not fit the processors</td></tr>
 * <tr><td>{@code carriers.pollers}</td><td>pollers that share the carriers with work that computes</td></tr>
 * <tr><td>{@code jvm.interpreted}, {@code jvm.tiers}</td><td>no compiler, or only the first one</td></tr>
 * <tr><td>{@code jvm.agents}, {@code jvm.debugging}</td><td>what spoils measurements</td></tr>
 * <tr><td>{@code runtime.unread}</td><td>a JVM whose flags cannot be read</td></tr>
 * </table>
 *
 * <p>The modules {@code java.management}, {@code jdk.management} and {@code jdk.jfr} are optional. A full JDK resolves
 * them for programs on the class path, and by service bindings for programs made of modules. An image of {@code jlink}
 * has those that it was given. Without the first two most findings stay silent and {@code runtime.unread} says so;
 * without the last there is no event.
 *
 * <p>Each run emits its findings as JFR events {@code dev.decant.RuntimeFinding}, if a recording is running.
 */
public final class RuntimeCheck {
  private static final FindingLog LOGGED = new FindingLog();

  private final List<Finding> findings;

  private RuntimeCheck(List<Finding> findings) {
    this.findings = List.copyOf(findings);
  }

  /**
   * Checks this JVM. The first run in a process loads the management classes and takes some tens of milliseconds. If
   * that is too long, use a {@link StartupCheck}.
   *
   * @param workload the load to expect
   * @return the findings
   */
  public static RuntimeCheck run(Workload workload) {
    return run(localProbes(), workload);
  }

  /**
   * Checks the JVM that the probes read.
   *
   * @param probes the values of the JVM
   * @param workload the load to expect
   * @return the findings
   */
  public static RuntimeCheck run(RuntimeProbes probes, Workload workload) {
    List<Finding> findings = new ArrayList<>();
    if (probes.flag("MaxHeapSize").isEmpty()) { // every HotSpot has it
      findings.add(Finding.info("runtime.unread",
          "the flags of this JVM cannot be read: it is no HotSpot, or runs without the module jdk.management",
          "collector, memory bounds and flags are not checked",
          "an image with jdk.management (jlink --add-modules jdk.management)"));
    }
    CollectorRules.check(probes, workload, findings);
    MemoryRules.check(probes, workload, findings);
    ProcessorRules.check(probes, workload, findings);
    MeasurementRules.check(probes, findings);
    emit(findings);
    return new RuntimeCheck(findings);
  }

  /**
   * Returns the bound of direct memory of this JVM. The first call in a process may load the management classes, which
   * takes some tens of milliseconds.
   *
   * @return bytes: the value of {@code -XX:MaxDirectMemorySize}, or else the maximum size of the heap
   */
  public static long directMemoryBytes() {
    return MemoryRules.directBound(localProbes());
  }

  private static RuntimeProbes localProbes() {
    try {
      Optional<RuntimeProbes> probes = ManagementProbes.local();
      if (probes.isPresent()) {
        return probes.get();
      }
    } catch (LinkageError e) {
      // The image has no management modules.
    }
    return new BareProbes();
  }

  private static void emit(List<Finding> findings) {
    try {
      FindingEvents.emit(findings);
    } catch (LinkageError e) {
      // The image has no flight recorder, so no recording can run.
    }
  }

  /**
   * Returns the findings.
   *
   * @return by subject; empty when the JVM suits
   */
  public List<Finding> findings() {
    return findings;
  }

  /**
   * Returns the finding of a kind.
   *
   * @param id such as {@code gc.serial}
   * @return empty if there is no such finding
   */
  public Optional<Finding> finding(String id) {
    return findings.stream().filter(finding -> finding.id().equals(id)).findFirst();
  }

  /**
   * Logs each finding that this process has not logged yet, one line each. If a logger throws or is not enabled for the
   * finding's level, the next logger gets the finding again. Of threads that call this at the same time, one logs.
   * Throws nothing.
   *
   * @param logger takes the findings
   */
  public void logOnce(System.Logger logger) {
    findings.forEach(finding -> LOGGED.offer(finding, logger));
  }
}
