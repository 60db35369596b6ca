package dev.decant.lab;

import dev.decant.lab.doctor.AttachedJvm;
import dev.decant.lab.doctor.Diagnosis;
import dev.decant.lab.doctor.DoctorException;
import dev.decant.lab.doctor.FlaggedJvm;
import dev.decant.runtime.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant doctor}: a check of a JVM for messaging clients. */
@Command(name = "doctor", mixinStandardHelpOptions = true, sortOptions = false,
    customSynopsis = "decant doctor [OPTIONS] [-- JAVA_FLAG...]", description = {
        "Checks whether a JVM suits a messaging client.",
        "It looks at the collector, the heap, direct memory, the container's limits, carrier threads and flags. It"
            + " prints each misfit with its measured value and its cure. It starts a JVM with the flags behind --, or"
            + " with none; --pid examines a JVM that runs already."},
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:nothing to warn of; there may be findings of severity INFO",
        "1:at least one finding of severity WARNING", "2:wrong usage, flags that the JVM refuses, or no such JVM",
        "3:the JVM could not be examined"})
final class DoctorCommand implements Callable<Integer> {
  private static final int WARNED = 1;
  private static final long MIB = 1024 * 1024;

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--pid", paramLabel = "PID", description = "examine this JVM, which runs as the same user")
  private @Nullable Long pid;

  @Option(names = "--watch", paramLabel = "SECONDS", defaultValue = "2",
      description = "with --pid: how long to measure its allocation, 0 for not (default: 2)")
  private int watchSeconds;

  @Option(names = "--pools", paramLabel = "MIB", defaultValue = "96",
      description = "direct memory that pools may take (default: 96, a client with one producer)")
  private long poolsMib;

  @Option(names = "--largest-buffer", paramLabel = "BYTES", defaultValue = "1048576",
      description = "largest buffer that is allocated on the heap again and again (default: 1048576)")
  private int largestBuffer;

  @Option(names = "--virtual-threads", description = "the application runs on virtual threads")
  private boolean virtualThreads;

  @Option(names = "--json", description = "print JSON")
  private boolean json;

  @Parameters(paramLabel = "JAVA_FLAG", description = "flags of java, after --")
  private List<String> flags = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    require(pid == null || flags.isEmpty(), "--pid examines a JVM that runs already: give no flags with it");
    require(pid == null || pid > 0, "--pid must be positive, not " + pid);
    require(watchSeconds >= 0 && watchSeconds <= 600, "--watch must be 0 to 600 seconds, not " + watchSeconds);
    require(poolsMib >= 0 && poolsMib <= Long.MAX_VALUE / MIB, "--pools must be 0 or more MiB, not " + poolsMib);
    require(largestBuffer >= 0, "--largest-buffer must not be negative: " + largestBuffer);
    Workload workload = new Workload(poolsMib * MIB, largestBuffer, virtualThreads);
    Diagnosis diagnosis;
    try {
      diagnosis = pid == null
          ? FlaggedJvm.examine(flags, workload)
          : AttachedJvm.examine(pid, workload, Duration.ofSeconds(watchSeconds));
    } catch (DoctorException e) {
      spec.commandLine().getErr().println("decant: " + e.getMessage());
      return e.isWrongInput() ? Decant.USAGE : Decant.FAILURE;
    }
    PrintWriter screen = spec.commandLine().getOut();
    screen.print(json ? diagnosis.toJson() + "\n" : diagnosis.toText());
    screen.flush();
    return diagnosis.hasWarning() ? WARNED : 0;
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
