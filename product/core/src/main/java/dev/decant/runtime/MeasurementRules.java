package dev.decant.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reports developer flags that slow a program down and falsify any measurement of it. */
final class MeasurementRules {
  private static final int FULL_OPTIMIZATION = 4;
  private static final String VM_INFO = "java.vm.info";
  /** The published agent's jar: with or without a version, in any directory. */
  private static final Pattern OWN_AGENT = Pattern.compile(
      "-javaagent:([^=]*[/\\\\])?decant-agent[^/\\\\=]*\\.jar(=.*)?",
      Pattern.DOTALL);
  /** Flags of HotSpot that trace, print or verify. */
  private static final List<String> DEBUGGING = List.of("PrintCompilation", "PrintInlining", "PrintAssembly",
      "PrintOptoAssembly", "LogCompilation", "VerifyBeforeGC", "VerifyDuringGC", "VerifyAfterGC", "StressGCM",
      "StressLCM", "StressIGVN", "StressCCP", "CheckJNICalls", "ExtendedDTraceProbes");

  private MeasurementRules() {}

  static void check(RuntimeProbes probes, List<Finding> to) {
    if (Reading.property(probes, VM_INFO).contains("interpreted mode")) {
      to.add(Finding.warning("jvm.interpreted", "the JVM only interprets (-Xint)",
          "nothing is compiled, so everything runs many times slower", "drop -Xint"));
    } else {
      tiers(probes, to);
    }
    agents(probes, to);
    debugging(probes, to);
  }

  private static void tiers(RuntimeProbes probes, List<Finding> to) {
    long stop = Reading.number(probes, "TieredStopAtLevel");
    if (Reading.isGiven(probes, "TieredStopAtLevel") && stop < FULL_OPTIMIZATION) {
      to.add(Finding.warning("jvm.tiers", "compilation stops at level " + stop + " of " + FULL_OPTIMIZATION
          + " (-XX:TieredStopAtLevel)",
          "hot code stays without the optimizing compiler, which suits short programs only",
          "drop -XX:TieredStopAtLevel=" + stop));
    }
  }

  /**
   * Reports other agents. Their options are left out, because they may contain a licence key or a password. Decant's
   * own agent is no finding: it changes only how clients are constructed and called.
   */
  private static void agents(RuntimeProbes probes, List<Finding> to) {
    List<String> agents = new ArrayList<>();
    for (String argument : probes.arguments()) {
      if (OWN_AGENT.matcher(argument).matches()) {
        continue;
      }
      if (argument.startsWith("-javaagent:") || argument.startsWith("-agentlib:")
          || argument.startsWith("-agentpath:")) {
        agents.add(upTo('=', argument));
      } else if (argument.startsWith("-Xrun")) {
        agents.add(upTo(':', argument));
      }
    }
    if (!agents.isEmpty()) {
      to.add(Finding.info("jvm.agents", "agents are loaded: " + String.join(" ", agents),
          "an agent may change any class or switch optimizations off, and allocate beside the application",
          "measure without it, or compare with and without"));
    }
  }

  private static String upTo(char end, String text) {
    int at = text.indexOf(end);
    return at < 0 ? text : text.substring(0, at);
  }

  private static void debugging(RuntimeProbes probes, List<Finding> to) {
    List<String> found = new ArrayList<>();
    for (String argument : probes.arguments()) {
      String name = argument.equals("-Xcheck:jni")
          ? "CheckJNICalls"
          : argument.startsWith("-XX:+") ? argument.substring("-XX:+".length()) : "";
      // A later argument may have switched the flag off.
      if (DEBUGGING.contains(name) && !found.contains(argument) && Reading.isOn(probes, name)) {
        found.add(argument);
      }
    }
    if (Reading.property(probes, VM_INFO).contains("compiled mode")) {
      found.add("-Xcomp");
    }
    Optional<VmFlag> tracking = probes.flag("NativeMemoryTracking");
    if (tracking.isPresent() && tracking.get().given() && !tracking.get().value().equals("off")) {
      found.add("-XX:NativeMemoryTracking=" + tracking.get().value());
    }
    if (!found.isEmpty()) {
      to.add(Finding.info("jvm.debugging", "the JVM watches itself: " + String.join(" ", found),
          "what it prints, verifies or counts takes time from the application", "drop " + String.join(" ", found)));
    }
  }
}
