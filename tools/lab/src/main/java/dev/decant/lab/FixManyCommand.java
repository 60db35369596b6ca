package dev.decant.lab;

import dev.decant.lab.fix.ManyRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code decant fix many}: many sessions on one loop of an acceptor, compared with one session at the same total rate.
 */
@Command(name = "many", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Measures many FIX sessions on one loop of an acceptor, beside one session at the same rate in all.",
    "They take turns, each in a fresh JVM: many, one, one, many. CPU is that of the acceptor's loop, per order that it"
        + " sends back. Memory is that of a session that is logged on and idle, without its store."})
final class FixManyCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--sessions", paramLabel = "N", defaultValue = "2000", description = "default: 2000")
  private int sessions;

  @Option(names = "--rate", paramLabel = "N", defaultValue = "10",
      description = "orders per second of each session (default: 10)")
  private int rate;

  @Option(names = "--seconds", paramLabel = "N", defaultValue = "10", description = "of each sample (default: 10)")
  private int seconds;

  @Option(names = "--assert", description = "end with exit code 1 where one of the bars is missed")
  private boolean asserting;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (sessions < 2 || rate < 1 || seconds < 1 || (long) sessions * rate > 1_000_000) {
      throw new ParameterException(spec.commandLine(),
          "--sessions is 2 at least, --rate and --seconds 1 at least, and all sessions send at most 1000000 a second");
    }
    PrintWriter out = spec.commandLine().getOut();
    ManyRun run = new ManyRun(sessions, sessions * rate, seconds);
    out.println(ManyRun.HEAD);
    out.flush();
    run.take(row -> {
      out.println(row);
      out.flush();
    });
    List<ManyRun.Verdict> verdicts = run.verdicts();
    verdicts.forEach(verdict -> out.println(verdict.line()));
    out.flush();
    boolean isMissed = verdicts.stream().anyMatch(verdict -> !verdict.isKept());
    if (isMissed && asserting) {
      spec.commandLine().getErr().println(String.format(Locale.ROOT, "%d of %d bars are missed",
          verdicts.stream().filter(verdict -> !verdict.isKept()).count(), verdicts.size()));
      return 1;
    }
    return 0;
  }
}
