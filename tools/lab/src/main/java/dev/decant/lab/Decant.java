package dev.decant.lab;

import dev.decant.testkit.UnusableClusterException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code decant} command. */
@Command(name = "decant",
    description = "Measures messaging clients on the JVM, on a real broker, and what they run on.",
    mixinStandardHelpOptions = true, version = "decant 0.1.0-SNAPSHOT",
    subcommands = {StressCommand.class, CompareCommand.class, AllocCommand.class, WaitCommand.class, PollCommand.class,
        GcCommand.class, CapacityCommand.class, ListCommand.class, ReportCommand.class, BrokerCommand.class,
        FakeCommand.class, RedriveCommand.class, CarriersCommand.class, FixCommand.class, DoctorCommand.class})
public final class Decant {
  /** Exit code for wrong usage: nothing was measured. */
  static final int USAGE = 2;
  /** Exit code after a failure of the cluster, a client or a server. */
  static final int FAILURE = 3;
  /** Exit code after Ctrl-C or SIGTERM; the samples up to then are written. */
  static final int INTERRUPTED = 130;

  private Decant() {}

  /**
   * Runs the command line and ends the JVM with its exit code: 0 done, 1 an assertion does not hold or there is a
   * warning, 2 wrong usage or a cluster that does not allow the run, 3 the cluster, a client, a server or another JVM
   * failed, 130 interrupted.
   *
   * @param arguments arguments of the user
   */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments.length == 0 ? new String[] {"--help"} : arguments));
  }

  static CommandLine commandLine() {
    return HelpLayout.applyTo(new CommandLine(new Decant())).setParameterExceptionHandler(Decant::onWrongUsage)
        .setExecutionExceptionHandler((error, command, parsed) -> {
          command.getErr().println("decant: " + oneLine(error));
          return error instanceof UnusableClusterException ? USAGE : FAILURE;
        });
  }

  private static int onWrongUsage(ParameterException error, String[] arguments) {
    CommandLine command = error.getCommandLine();
    String message = oneLine(error);
    if (error instanceof UnmatchedArgumentException unknown && !unknown.getSuggestions().isEmpty()) {
      message += "; did you mean " + unknown.getSuggestions().getFirst() + "?"; // the others are hardly alike
    }
    boolean javaFlag = message.contains("'-X") || message.contains("'-D");
    command.getErr().println("decant: " + message + " (see: " + command.getCommandSpec().qualifiedName() + " --help"
        + (javaFlag && command.getCommand() instanceof DoctorCommand ? "; flags of java go after --" : "") + ")");
    return USAGE;
  }

  private static String oneLine(Throwable error) {
    String message = error.getMessage();
    return switch (error) {
      // the message of these exceptions is the path alone
      case FileAlreadyExistsException exists -> exists.getFile() + " is there already; give another name, or remove it";
      case NoSuchFileException missing -> "there is no " + missing.getFile();
      case AccessDeniedException denied -> denied.getFile() + " may not be read or written by this user";
      default -> message == null || message.isBlank() ? error.toString() : message;
    };
  }
}
