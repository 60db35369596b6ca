package dev.decant.lab;

import dev.decant.lab.scenario.Bar;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.scenario.ScenarioException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant list}: the scenarios. */
@Command(name = "list", mixinStandardHelpOptions = true, description = {
    "Lists the scenarios of decant stress with their bars, or prints the file of one.",
    "Edit such a file and run it with decant stress --scenario-file FILE."})
final class ListCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "print the file of this scenario")
  private @Nullable String name;

  @Override
  public Integer call() {
    PrintWriter screen = spec.commandLine().getOut();
    try {
      if (name != null) {
        screen.print(ScenarioCatalog.named(name).text());
      } else {
        ScenarioCatalog.names().forEach(each -> print(ScenarioCatalog.named(each), screen));
        screen.println("groups: " + ScenarioCatalog.GROUPS.stream()
            .map(group -> group + " (" + names(ScenarioCatalog.resolve(List.of(group))) + ")")
            .collect(Collectors.joining("; ")));
      }
    } catch (ScenarioException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    screen.flush();
    return 0;
  }

  private static String names(List<Scenario> scenarios) {
    return scenarios.size() == ScenarioCatalog.names().size()
        ? "every one"
        : scenarios.stream().map(Scenario::name).collect(Collectors.joining(", "));
  }

  private static void print(Scenario scenario, PrintWriter screen) {
    screen.println(String.format(Locale.ROOT, "%-24s %s", scenario.name(), scenario.title()));
    for (Bar<?> bar : scenario.bars()) {
      screen.println(String.format(Locale.ROOT, "%-24s   %s", "", bar.text()));
    }
  }
}
