package dev.decant.lab.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The machine of a measurement. */
public final class Environment {
  private Environment() {}

  /**
   * Describes this machine.
   *
   * @return properties by their names in the result file
   */
  public static Map<String, Object> describe() {
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("java_version", System.getProperty("java.runtime.version"));
    facts.put("java_vm", System.getProperty("java.vm.name"));
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("arch", System.getProperty("os.arch"));
    facts.put("cpu_model", firstLine(Path.of("/proc/cpuinfo"), "model name"));
    facts.put("cpus", Runtime.getRuntime().availableProcessors());
    facts.put("memory_bytes", system.getTotalMemorySize());
    facts.put("cgroup_cpu_max", content(Path.of("/sys/fs/cgroup/cpu.max")));
    facts.put("cgroup_memory_max", content(Path.of("/sys/fs/cgroup/memory.max")));
    facts.put("load_average_1min", system.getSystemLoadAverage());
    return facts;
  }

  private static String firstLine(Path file, String key) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.filter(line -> line.startsWith(key)).findFirst()
          .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static String content(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      return lines.isEmpty() ? "unknown" : lines.getFirst();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
