package dev.decant.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Flags for developers that make a program slow, and any measurement of it worthless. */
final class MeasurementRules {
  private static final int FULL_OPTIMIZATION = 4;
  private static final List<String> AGENTS = List.of("-javaagent:", "-agentlib:", "-agentpath:", "-Xrun");
  /** Flags of HotSpot that watch, print or verify. */
  private static final List<String> DEBUGGING = List.of("PrintCompilation", "PrintInlining", "PrintAssembly",
      "PrintOptoAssembly", "LogCompilation", "VerifyBeforeGC", "VerifyDuringGC", "VerifyAfterGC", "StressGCM",
      "StressLCM", "StressIGVN", "StressCCP", "CheckJNICalls", "ExtendedDTraceProbes");

  private MeasurementRules() {}

  static void check(RuntimeProbes probes, List<Finding> to) {
    if (probes.property("java.vm.info").filter(info -> info.contains("interpreted mode")).isPresent()) {
      to.add(Finding.warning("jvm.interpreted", "the JVM only interprets (-Xint)",
          "nothing is compiled, so everything runs many times slower", "drop -Xint"));
    } else {
      tiers(probes, to);
    }
    agents(probes, to);
    debugging(probes, to);
  }

  private static void tiers(RuntimeProbes probes, List<Finding> to) {
    Optional<VmFlag> level = probes.flag("TieredStopAtLevel").filter(VmFlag::given);
    long stop = CollectorRules.number(probes, "TieredStopAtLevel");
    if (level.isPresent() && stop < FULL_OPTIMIZATION) {
      to.add(Finding.warning("jvm.tiers", "compilation stops at level " + stop + " of " + FULL_OPTIMIZATION
          + " (-XX:TieredStopAtLevel)",
          "hot code stays without the optimizing compiler, which suits short programs only",
          "drop -XX:TieredStopAtLevel=" + stop));
    }
  }

  /** Options of an agent are left out: they may hold a licence key or a password. */
  private static void agents(RuntimeProbes probes, List<Finding> to) {
    List<String> agents = probes.arguments().stream()
        .filter(argument -> AGENTS.stream().anyMatch(argument::startsWith))
        .map(argument -> argument.split("[=]", 2)[0])
        .map(agent -> agent.startsWith("-Xrun") ? agent.split(":", 2)[0] : agent)
        .toList();
    if (!agents.isEmpty()) {
      to.add(Finding.info("jvm.agents", "agents are loaded: " + String.join(" ", agents),
          "an agent may change any class or switch optimizations off, and allocate beside the application",
          "measure without it, or compare with and without"));
    }
  }

  private static void debugging(RuntimeProbes probes, List<Finding> to) {
    List<String> found = new ArrayList<>();
    for (String argument : probes.arguments()) {
      String name = argument.equals("-Xcheck:jni") ? "CheckJNICalls" : argument.replaceFirst("^-XX:\\+", "");
      if (DEBUGGING.contains(name) && !found.contains(argument)
          && probes.flag(name).filter(VmFlag::isTrue).isPresent()) { // a later argument may have switched it off
        found.add(argument);
      }
    }
    if (probes.property("java.vm.info").filter(info -> info.contains("compiled mode")).isPresent()) {
      found.add("-Xcomp");
    }
    probes.flag("NativeMemoryTracking").filter(tracking -> tracking.given() && !tracking.value().equals("off"))
        .ifPresent(tracking -> found.add("-XX:NativeMemoryTracking=" + tracking.value()));
    if (!found.isEmpty()) {
      to.add(Finding.info("jvm.debugging", "the JVM watches itself: " + String.join(" ", found),
          "what it prints, verifies or counts takes time from the application", "drop " + String.join(" ", found)));
    }
  }
}
