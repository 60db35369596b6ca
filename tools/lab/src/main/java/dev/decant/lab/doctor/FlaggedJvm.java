package dev.decant.lab.doctor;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.jvm.ProgramOutput;
import dev.decant.runtime.RuntimeCheck;
import dev.decant.runtime.Workload;
import dev.decant.testkit.RepositoryJars;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts a small JVM with the user's flags, which examines itself. */
public final class FlaggedJvm {
  /** Options of {@code java} whose value is the next argument. */
  private static final Set<String> TWO_WORDS = Set.of("--add-modules", "--add-opens", "--add-exports", "--add-reads",
      "--limit-modules", "--module-path", "-p", "--upgrade-module-path", "--patch-module", "--enable-native-access",
      "-cp", "-classpath", "--class-path");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private FlaggedJvm() {}

  /**
   * Examines a JVM with these flags.
   *
   * @param flags flags of {@code java}; a class path among them is replaced
   * @param workload workload for which the JVM is checked
   * @return the diagnosis
   * @throws DoctorException when the JVM rejects the flags, or ends without a diagnosis
   */
  public static Diagnosis examine(List<String> flags, Workload workload) {
    requireFlags(flags);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(Stream.of(DoctorMain.class, RuntimeCheck.class, ObjectMapper.class, JsonFactory.class,
        JsonProperty.class).map(RepositoryJars::locationOf).distinct().collect(Collectors.joining(File.pathSeparator)));
    command.add(DoctorMain.class.getName());
    command.add(Long.toString(workload.directBytes()));
    command.add(Integer.toString(workload.largestHeapBuffer()));
    command.add(Boolean.toString(workload.virtualThreads()));
    return diagnosis(run(command));
  }

  private static void requireFlags(List<String> flags) {
    boolean value = false;
    for (String flag : flags) {
      if (!value && !flag.startsWith("-") && !flag.startsWith("@")) {
        throw DoctorException.wrongInput("'" + flag + "' is no flag of java; give flags only, after --");
      }
      if (flag.equals("-jar") || flag.equals("-m") || flag.startsWith("--module=") || flag.equals("--module")) {
        throw DoctorException.wrongInput(flag + " starts a program; give the flags alone, or use --pid while it runs");
      }
      value = TWO_WORDS.contains(flag);
    }
  }

  private static ProgramOutput run(List<String> command) {
    try {
      // a JVM reports errors in some flags on one stream and in others on the other
      return ProgramOutput.of(command, PATIENCE);
    } catch (TimeoutException e) {
      throw DoctorException.failed("the JVM with these flags did not end within " + PATIENCE.toSeconds() + " s");
    } catch (ExecutionException e) {
      throw DoctorException.failed("what the JVM with these flags says cannot be read: " + e.getCause());
    } catch (IOException e) {
      throw DoctorException.failed("no JVM can be started: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw DoctorException.failed("interrupted while a JVM examined itself");
    }
  }

  private static Diagnosis diagnosis(ProgramOutput jvm) {
    for (String line : jvm.lines()) {
      int mark = line.indexOf(DoctorMain.MARK);
      if (mark >= 0) {
        try {
          return Diagnosis.fromJson(line.substring(mark + DoctorMain.MARK.length()));
        } catch (IOException e) {
          throw DoctorException.failed("the JVM printed no diagnosis but: " + line);
        }
      }
    }
    String said = complaint(jvm.lines());
    throw DoctorException.wrongInput((jvm.exitCode() == 0
        ? "the JVM with these flags does something else and ends; it says: "
        : "the JVM refuses these flags: ") + (said.isEmpty() ? "nothing" : said));
  }

  /** Returns the JVM's error message without the lines that follow every error. */
  static String complaint(List<String> output) {
    return output.stream().map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("Picked up ") && !line.contains("[warning]")
            && !line.startsWith("Error: Could not create the Java") && !line.startsWith("Error: A fatal exception has")
            && !line.startsWith("Error occurred during initialization of VM"))
        .limit(3).collect(Collectors.joining("; "));
  }
}
