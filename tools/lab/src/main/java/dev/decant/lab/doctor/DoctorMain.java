package dev.decant.lab.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.management.HotSpotDiagnosticMXBean;
import dev.decant.runtime.RuntimeCheck;
import dev.decant.runtime.Workload;
import java.lang.management.ManagementFactory;

/** The main class of a JVM that is started to examine itself: it prints a {@link Diagnosis} in one line, and ends. */
public final class DoctorMain {
  /** The beginning of the line, by which it differs from the output of agents and of the JVM. */
  static final String MARK = "decant-diagnosis ";

  private DoctorMain() {}

  /**
   * Examines this JVM.
   *
   * @param arguments the parts of a {@link Workload}
   * @throws JsonProcessingException never
   */
  public static void main(String[] arguments) throws JsonProcessingException {
    Workload workload = new Workload(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1]),
        Boolean.parseBoolean(arguments[2]));
    RuntimeCheck check = RuntimeCheck.run(workload);
    // the flag, since Runtime.maxMemory() leaves out a survivor space
    long maxHeapBytes = Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .getVMOption("MaxHeapSize").getValue());
    Diagnosis diagnosis = new Diagnosis(name(System.getProperty("java.vm.name"), System.getProperty("java.vm.version")),
        ProcessHandle.current().pid(), Runtime.getRuntime().availableProcessors(), maxHeapBytes, -1, null,
        check.findings());
    System.out.println(MARK + diagnosis.toLine());
  }

  static String name(String vm, String version) {
    return vm + " " + version;
  }
}
