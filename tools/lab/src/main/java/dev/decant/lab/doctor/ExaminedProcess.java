package dev.decant.lab.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The public part of a process on this machine. Arguments of programs and values of system properties are never part of
 * it: they may be passwords.
 *
 * @param pid process id
 * @param program main class, jar or module of a {@code java} launcher; the executable of any other process
 * @param isJava true if a {@code java} launcher started it
 * @param user user of the process; empty if the system does not report it
 */
record ExaminedProcess(long pid, String program, boolean isJava, String user) {

  private static final Path PROC = Path.of("/proc");
  /** Options of {@code java} whose value is the next argument. */
  private static final List<String> TWO_WORDS = List.of("-cp", "-classpath", "--class-path", "-p", "--module-path",
      "--upgrade-module-path", "--add-modules", "--limit-modules", "--add-reads", "--add-exports", "--add-opens",
      "--patch-module", "--enable-native-access", "--source");
  /** Flags whose value is not shown: those of system properties and of agents. */
  private static final List<String> WITH_SECRETS = List.of("-D", "-javaagent:", "-agentlib:", "-agentpath:");

  /**
   * Examines a process.
   *
   * @param pid process id
   * @return empty if there is no such process
   */
  static Optional<ExaminedProcess> of(long pid) {
    return ProcessHandle.of(pid).map(process -> {
      List<String> words = commandLine(pid, process.info());
      return new ExaminedProcess(pid, program(words, pid), !words.isEmpty() && isJava(words.getFirst()),
          process.info().user().orElse(""));
    });
  }

  /** Returns the executable and its arguments, if this user may read them. */
  private static List<String> commandLine(long pid, ProcessHandle.Info info) {
    try {
      String line = Files.readString(PROC.resolve(Long.toString(pid)).resolve("cmdline"), StandardCharsets.ISO_8859_1);
      return Arrays.stream(line.split("\0", -1)).toList();
    } catch (IOException e) { // a system without /proc
      List<String> words = new ArrayList<>(info.command().stream().toList());
      words.addAll(List.of(info.arguments().orElse(new String[0])));
      return words;
    }
  }

  private static String program(List<String> words, long pid) {
    if (words.isEmpty() || words.getFirst().isEmpty()) {
      return nameInKernel(pid); // a thread of the kernel, or a process that has ended
    }
    String executable = words.getFirst();
    return isJava(executable) ? mainOf(words.subList(1, words.size())).orElse(executable) : executable;
  }

  private static boolean isJava(String executable) {
    return executable.equals("java") || executable.endsWith("/java");
  }

  private static String nameInKernel(long pid) {
    try {
      return Files.readString(PROC.resolve(Long.toString(pid)).resolve("comm")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns what a launcher starts: a main class, the name of a jar, or a module. */
  static Optional<String> mainOf(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      String next = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
      if (argument.equals("-jar")) {
        return nonEmpty(fileName(next));
      }
      if (argument.equals("-m") || argument.equals("--module")) {
        return nonEmpty(next);
      }
      if (argument.startsWith("--module=")) {
        return nonEmpty(argument.substring("--module=".length()));
      }
      if (TWO_WORDS.contains(argument)) {
        i++;
      } else if (!argument.startsWith("-") && !argument.startsWith("@")) {
        return nonEmpty(argument);
      }
    }
    return Optional.empty();
  }

  private static Optional<String> nonEmpty(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(name);
  }

  /**
   * Returns this process with the JVM's own name of its program, if the command line has none, as with a file of
   * arguments.
   *
   * @param javaCommand the property {@code sun.java.command}: a main class or a jar, and arguments
   * @return with the best known name
   */
  ExaminedProcess named(String javaCommand) {
    String first = javaCommand.split(" ", 2)[0];
    return !isJava(program) || first.isEmpty()
        ? this
        : new ExaminedProcess(pid, first.endsWith(".jar") ? fileName(first) : first, isJava, user);
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /**
   * Returns the flags of a JVM without secrets.
   *
   * @param flags flags as the JVM reports them
   * @return in the same order
   */
  static List<String> shown(List<String> flags) {
    return flags.stream().map(ExaminedProcess::shown).toList();
  }

  private static String shown(String flag) {
    int value = flag.indexOf('=');
    return value >= 0 && WITH_SECRETS.stream().anyMatch(flag::startsWith) ? flag.substring(0, value + 1) + "..." : flag;
  }

  @Override
  public String toString() {
    return "process " + pid + (program.isEmpty() ? "" : " (" + program + ")");
  }
}
