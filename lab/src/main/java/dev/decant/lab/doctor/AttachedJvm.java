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
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JVM of the same user that runs already. That starts the local management agent in it, as JConsole does; no
 * code of ours is loaded there.
 */
public final class AttachedJvm {
  private AttachedJvm() {}

  /**
   * Examines another JVM.
   *
   * @param pid its process id
   * @param workload what it is to bear
   * @param watch how long to watch it allocate; zero for not at all
   * @return what was found
   * @throws DoctorException when there is no such process, it is no JVM, or it lets nobody in
   */
  @SuppressWarnings("BanJNDI") // the address is on this machine, given by a process of the same user
  public static Diagnosis examine(long pid, Workload workload, Duration watch) {
    if (ProcessHandle.of(pid).isEmpty()) {
      throw DoctorException.wrongInput("there is no process " + pid);
    }
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(agentAddress(pid)))) {
      return examine(connector.getMBeanServerConnection(), workload, watch);
    } catch (IOException | RuntimeException e) {
      if (e instanceof DoctorException clear) {
        throw clear;
      }
      throw DoctorException.failed("process " + pid + " could not be examined: " + oneLine(e));
    }
  }

  private static String agentAddress(long pid) throws IOException {
    VirtualMachine machine;
    try {
      machine = VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException e) {
      throw DoctorException.wrongInput("process " + pid + " is no JVM that can be attached to: " + oneLine(e));
    } catch (IOException e) {
      throw DoctorException.failed("process " + pid + " lets nobody attach; run as its user: " + oneLine(e));
    }
    try {
      return machine.startLocalManagementAgent();
    } finally {
      machine.detach();
    }
  }

  private static Diagnosis examine(MBeanServerConnection connection, Workload workload, Duration watch)
      throws IOException {
    RuntimeMXBean runtime = ManagementFactory.getPlatformMXBean(connection, RuntimeMXBean.class);
    HotSpotDiagnosticMXBean hotspot = ManagementFactory.getPlatformMXBean(connection, HotSpotDiagnosticMXBean.class);
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(connection, OperatingSystemMXBean.class);
    if (hotspot == null) {
      throw DoctorException.wrongInput("process " + runtime.getPid() + " is no HotSpot JVM: " + runtime.getVmName());
    }
    OptionalLong rate = allocationBytesPerSecond(connection, watch);
    ManagementProbes probes = ManagementProbes.of(runtime, hotspot, system.getAvailableProcessors(), rate);
    return new Diagnosis(DoctorMain.name(runtime.getVmName(), runtime.getVmVersion()), runtime.getPid(),
        probes.processors(), probes.maxHeapBytes(), rate.orElse(-1), RuntimeCheck.run(probes, workload).findings());
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
    } catch (RuntimeException e) { // a JVM before Java 21 does not count
      return OptionalLong.empty();
    }
  }

  private static String oneLine(Throwable error) {
    @Nullable
    String message = error.getMessage();
    return message == null ? error.toString() : message.lines().findFirst().orElse(error.toString());
  }
}
