package dev.decant.runtime;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A JVM with flags of its own that checks itself. */
final class CheckedJvm {
  private CheckedJvm() {}

  /** Returns its output: one line for each finding. */
  static List<String> run(Workload workload, String... flags) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", locationsOf(CheckedJvm.class, RuntimeCheck.class), CheckedJvm.class.getName(),
        Long.toString(workload.directBytes()), Integer.toString(workload.largestHeapBuffer()),
        Boolean.toString(workload.virtualThreads())));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(command + " failed: " + output);
      }
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  private static String locationsOf(Class<?>... types) {
    return String.join(System.getProperty("path.separator"), Stream.of(types)
        .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath()).toList());
  }

  public static void main(String[] arguments) {
    Workload workload = new Workload(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1]),
        Boolean.parseBoolean(arguments[2]));
    RuntimeCheck.run(workload).findings().forEach(finding -> System.out.println(finding.message()));
  }
}
