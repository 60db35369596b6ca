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
 * What the doctor found in a JVM.
 *
 * @param jvm name and version of the JVM
 * @param pid its process id
 * @param processors the processors it counts with
 * @param maxHeapBytes how large its heap may grow
 * @param allocationBytesPerSecond how fast it was seen to allocate; -1 when nobody has looked
 * @param running what runs in it; null in a JVM that was only started to examine itself
 * @param findings what does not suit; empty when all is well
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Diagnosis(String jvm, long pid, int processors, long maxHeapBytes, long allocationBytesPerSecond,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Running running, List<Finding> findings) {

  private static final long MIB = 1024 * 1024;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What runs in a JVM.
   *
   * @param program its main class, jar or module, without arguments
   * @param user as whom it runs; empty if the system does not tell
   * @param uptimeMillis since it was started
   * @param flags it was started with; of properties and agents without their values
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
   * All of it for programs.
   *
   * @return indented JSON
   * @throws JsonProcessingException never
   */
  public String toJson() throws JsonProcessingException {
    return JSON.writer(SerializationFeature.INDENT_OUTPUT).writeValueAsString(this);
  }

  /**
   * Tells whether anything should be cured.
   *
   * @return true if one finding is a warning
   */
  public boolean hasWarning() {
    return findings.stream().anyMatch(finding -> finding.severity() == Severity.WARNING);
  }

  /**
   * All of it for people.
   *
   * @return what runs in the JVM, if it was there before; then one line when all is well, otherwise a block for each
   *     finding
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

  /** The two largest units of a time. */
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
