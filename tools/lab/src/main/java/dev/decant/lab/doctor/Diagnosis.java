package dev.decant.lab.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.decant.runtime.Finding;
import dev.decant.runtime.Severity;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The diagnosis of a JVM.
 *
 * @param jvm name and version of the JVM
 * @param pid process id
 * @param processors number of processors that the JVM uses
 * @param maxHeapBytes largest size of the heap
 * @param allocationBytesPerSecond observed rate of allocation; -1 if it was not watched
 * @param running the program in the JVM; null for a JVM that was started to examine itself
 * @param findings what does not suit the workload; empty if all is well
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Diagnosis(String jvm, long pid, int processors, long maxHeapBytes, long allocationBytesPerSecond,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Running running, List<Finding> findings) {

  private static final long MIB = 1024 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The program in a JVM.
   *
   * @param program main class, jar or module, without arguments
   * @param user user of the process; empty if the system does not report it
   * @param uptimeMillis time since the start
   * @param flags flags of the start, without the values of properties and agents
   */
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  public record Running(String program, String user, long uptimeMillis, List<String> flags) {
    /** Copies the list. */
    public Running {
      flags = List.copyOf(flags);
    }
  }

  /** Copies the list. */
  public Diagnosis {
    findings = List.copyOf(findings);
  }

  static Diagnosis fromJson(String json) throws JsonProcessingException {
    return JSON.readValue(json, Diagnosis.class);
  }

  String toLine() throws JsonProcessingException {
    return JSON.writeValueAsString(this);
  }

  /**
   * Returns the diagnosis for programs.
   *
   * @return indented JSON
   * @throws JsonProcessingException never
   */
  public String toJson() throws JsonProcessingException {
    return JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsString(this);
  }

  /**
   * Returns true if there is something to cure.
   *
   * @return true if one finding is a warning
   */
  public boolean hasWarning() {
    return findings.stream().anyMatch(finding -> finding.severity() == Severity.WARNING);
  }

  /**
   * Returns the diagnosis for people.
   *
   * @return the running program, if there is one; then one line if all is well, otherwise a block for each finding
   */
  public String toText() {
    String machine = jvm + ", " + processors + (processors == 1 ? " processor" : " processors") + ", heap up to "
        + maxHeapBytes / MIB + " MiB";
    StringBuilder text = new StringBuilder();
    if (running != null) {
      describe(running, text);
    }
    text.append(findings.isEmpty() ? "all is well: " : "").append(machine).append('\n');
    for (Finding finding : findings) {
      text.append("\n").append(finding.severity()).append("  ").append(finding.id()).append("\n")
          .append("  measured  ").append(finding.measured()).append("\n")
          .append("  why       ").append(finding.why()).append("\n")
          .append("  cure      ").append(finding.cure()).append("\n");
    }
    return text.toString();
  }

  private void describe(Running process, StringBuilder text) {
    text.append("process ").append(pid).append(": ").append(process.program()).append(", ")
        .append(process.user().isEmpty() ? "" : "user " + process.user() + ", ").append("up ")
        .append(uptime(process.uptimeMillis())).append("\nflags: ")
        .append(process.flags().isEmpty() ? "none" : String.join(" ", process.flags())).append('\n');
    if (allocationBytesPerSecond >= 0) {
      text.append(String.format(Locale.ROOT, "allocates %.1f MiB a second%n", allocationBytesPerSecond / (double) MIB));
    }
  }

  /** Returns the two largest units of a time. */
  static String uptime(long millis) {
    Duration time = Duration.ofMillis(millis);
    if (time.toDays() > 0) {
      return time.toDays() + " d " + time.toHoursPart() + " h";
    }
    if (time.toHours() > 0) {
      return time.toHours() + " h " + time.toMinutesPart() + " min";
    }
    return time.toMinutes() > 0
        ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
        : time.toSeconds() + " s";
  }
}
