package dev.decant.lab.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.decant.runtime.Finding;
import dev.decant.runtime.Severity;
import java.util.List;

/**
 * What the doctor found in a JVM.
 *
 * @param jvm name and version of the JVM
 * @param pid its process id
 * @param processors the processors it counts with
 * @param maxHeapBytes how large its heap may grow
 * @param allocationBytesPerSecond how fast it was seen to allocate; -1 when nobody has looked
 * @param findings what does not suit; empty when all is well
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Diagnosis(String jvm, long pid, int processors, long maxHeapBytes, long allocationBytesPerSecond,
    List<Finding> findings) {

  private static final ObjectMapper JSON = new ObjectMapper();

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
   * @return one line when all is well, otherwise a block for each finding
   */
  public String toText() {
    String machine = jvm + ", " + processors + (processors == 1 ? " processor" : " processors") + ", heap up to "
        + maxHeapBytes / (1024 * 1024) + " MiB";
    if (findings.isEmpty()) {
      return "all is well: " + machine + "\n";
    }
    StringBuilder text = new StringBuilder(machine).append("\n");
    for (Finding finding : findings) {
      text.append("\n").append(finding.severity()).append("  ").append(finding.id()).append("\n")
          .append("  measured  ").append(finding.measured()).append("\n")
          .append("  why       ").append(finding.why()).append("\n")
          .append("  cure      ").append(finding.cure()).append("\n");
    }
    return text.toString();
  }
}
