package dev.decant.runtime;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One finding in a flight recording. */
@Name("dev.decant.RuntimeFinding")
@Label("Runtime Finding")
@Description("A way in which this JVM does not suit a messaging client")
@Category("Decant")
@StackTrace(false)
final class RuntimeFindingEvent extends Event {
  @Label("Id")
  final String id;
  @Label("Severity")
  final String severity;
  @Label("Measured")
  final String measured;
  @Label("Why")
  final String why;
  @Label("Cure")
  final String cure;

  RuntimeFindingEvent(Finding finding) {
    id = finding.id();
    severity = finding.severity().name();
    measured = finding.measured();
    why = finding.why();
    cure = finding.cure();
  }
}
