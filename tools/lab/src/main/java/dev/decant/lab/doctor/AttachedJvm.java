package dev.decant.lab.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.decant.runtime.ManagementProbes;
import dev.decant.runtime.RuntimeCheck;
import dev.decant.runtime.Workload;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.lang.management.RuntimeMXBean;
import java.time.Duration;
import java.util.OptionalLong;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/**
 * Reads a running JVM of the same user. This starts the local management agent in it, as JConsole does; no code of
 * Decant is loaded there.
 */
public final class AttachedJvm {
  private static final int OLDEST = 21;

  private AttachedJvm() {}

  /**
   * Examines another JVM.
   *
   * @param pid process id
   * @param workload workload for which the JVM is checked
   * @param watch time for which its allocation is watched; zero for none
   * @return the diagnosis
   * @throws DoctorException when there is no such process, or it is no JVM, too old, or closed to this user
   */
  @SuppressWarnings("BanJNDI") // a process of the same user gave the address, which is on this machine
  public static Diagnosis examine(long pid, Workload workload, Duration watch) {
    ExaminedProcess process = ExaminedProcess.of(pid)
        .orElseThrow(() -> DoctorException.wrongInput("there is no process " + pid));
    if (pid == ProcessHandle.current().pid()) {
      throw DoctorException.wrongInput(process + " is this command itself; give the process id of another JVM");
    }
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(agentAddress(process)))) {
      return examine(process, connector.getMBeanServerConnection(), workload, watch);
    } catch (IOException | RuntimeException e) {
      if (e instanceof DoctorException clear) {
        throw clear;
      }
      throw DoctorException.failed(process + " could not be examined: " + oneLine(e));
    }
  }

  private static String agentAddress(ExaminedProcess process) throws IOException {
    VirtualMachine machine;
    try {
      machine = VirtualMachine.attach(Long.toString(process.pid()));
    } catch (AttachNotSupportedException | IOException e) {
      throw refusal(process, ProcessHandle.current().info().user().orElse(""), e);
    }
    try {
      return machine.startLocalManagementAgent();
    } finally {
      machine.detach();
    }
  }

  /**
   * Explains why a JVM cannot be examined. The JDK's own message has the process's command line with all arguments,
   * which may be secret.
   */
  static DoctorException refusal(ExaminedProcess process, String self, Exception error) {
    if (!process.user().isEmpty() && !process.user().equals(self)) {
      return DoctorException.failed(process + " runs as user " + process.user()
          + ", and a JVM lets nobody else attach; run decant doctor as that user");
    }
    return error instanceof AttachNotSupportedException && !process.isJava()
        ? DoctorException.wrongInput(process + " is no JVM that can be attached to; jps lists those that can")
        : DoctorException.failed(process + " does not let anybody attach; it hangs, or it was started with"
            + " -XX:+DisableAttachMechanism");
  }

  /** Rejects the release of a JVM on which Decant does not run, and names it. */
  static void requireRelease(ExaminedProcess process, String release) {
    int feature = Runtime.Version.parse(release.startsWith("1.") ? release.substring(2) : release).feature();
    if (feature < OLDEST) {
      throw DoctorException.wrongInput(process + " runs Java " + feature + ", and Decant needs Java " + OLDEST
          + " or newer: start it with a newer JDK");
    }
  }

  private static Diagnosis examine(ExaminedProcess process, MBeanServerConnection connection, Workload workload,
      Duration watch) throws IOException {
    RuntimeMXBean runtime = ManagementFactory.getPlatformMXBean(connection, RuntimeMXBean.class);
    ExaminedProcess named = process.named(runtime.getSystemProperties().getOrDefault("sun.java.command", ""));
    requireRelease(named, runtime.getSpecVersion());
    HotSpotDiagnosticMXBean hotspot = ManagementFactory.getPlatformMXBean(connection, HotSpotDiagnosticMXBean.class);
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(connection, OperatingSystemMXBean.class);
    if (hotspot == null) {
      throw DoctorException.wrongInput(named + " is no HotSpot JVM: " + runtime.getVmName());
    }
    OptionalLong rate = allocationBytesPerSecond(connection, watch);
    ManagementProbes probes = ManagementProbes.of(runtime, hotspot, system.getAvailableProcessors(), rate);
    lookAtFiles(connection, probes);
    Diagnosis.Running running = new Diagnosis.Running(named.program(), named.user(), runtime.getUptime(),
        ExaminedProcess.shown(runtime.getInputArguments()));
    return new Diagnosis(DoctorMain.name(runtime.getVmName(), runtime.getVmVersion()), process.pid(),
        probes.processors(), probes.maxHeapBytes(), rate.orElse(-1), running,
        RuntimeCheck.run(probes, workload).findings());
  }

  /** Reads the number of open files, which only systems of the Unix family count. */
  private static void lookAtFiles(MBeanServerConnection connection, ManagementProbes probes) throws IOException {
    try {
      Object open = connection.getAttribute(new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME),
          "OpenFileDescriptorCount");
      if (open instanceof Long count) {
        ManagementProbes unused = probes.openFiles(count);
      }
    } catch (JMException e) {
      // the check that needs them finds nothing
    }
  }

  private static OptionalLong allocationBytesPerSecond(MBeanServerConnection connection, Duration watch)
      throws IOException {
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(connection, ThreadMXBean.class);
    if (threads == null || watch.isZero()) {
      return OptionalLong.empty();
    }
    try {
      long before = threads.getTotalThreadAllocatedBytes();
      long start = System.nanoTime();
      Thread.sleep(watch);
      long allocated = threads.getTotalThreadAllocatedBytes() - before;
      return before < 0
          ? OptionalLong.empty()
          : OptionalLong.of((long) (allocated * 1e9 / Math.max(1, System.nanoTime() - start)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw DoctorException.failed("interrupted while watching");
    } catch (RuntimeException e) { // a JVM before Java 21 has no such count
      return OptionalLong.empty();
    }
  }

  private static String oneLine(Throwable error) {
    @Nullable
    String message = error.getMessage();
    return message == null ? error.toString() : message.lines().findFirst().orElse(error.toString());
  }
}
