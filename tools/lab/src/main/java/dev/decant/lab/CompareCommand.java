package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.compare.Comparison;
import dev.decant.lab.compare.Conclusion;
import dev.decant.lab.compare.Side;
import dev.decant.lab.jvm.JavaRuntime;
import dev.decant.lab.report.CompareTable;
import dev.decant.lab.scenario.Contender;
import dev.decant.lab.scenario.Metric;
import dev.decant.lab.scenario.Outcome;
import dev.decant.lab.scenario.Scenario;
import dev.decant.lab.scenario.ScenarioCatalog;
import dev.decant.lab.stress.ClientJvm;
import dev.decant.testkit.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code decant compare}: a verdict on which of two things is better. */
@Command(name = "compare", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Compares two clients, releases, settings or JVM flags in one scenario.",
    "The two take turns A-B-B-A. The command says of A whether it is better than B, worse, the same, or that nobody can"
        + " tell. With --assert the exit code is 1 if A is worse by any metric.",
    "A and B are CLIENT[:VERSION][,KEY=VALUE...], with the keys of a scenario's file. Examples: kafka-clients:4.1.0"
        + " or decant,producer.linger.ms=5 or 'kafka-clients,jvm=-XX:+UseZGC -Xmx256m'. java=PATH runs a side on"
        + " another JVM, which has this home directory or program java."})
final class CompareCommand implements Callable<Integer>, View {
  private static final int ROUNDS = 3;
  /** Times with which a quick comparison of any work ends soon; a scenario's own setting wins. */
  private static final Map<String, Integer> QUICK_SECONDS = Map.of("warm-up.seconds.quick", 4, "seconds.quick", 4);

  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Parameters(index = "0", paramLabel = "A", description = "what is judged")
  private String first = "";

  @Parameters(index = "1", paramLabel = "B", description = "what it is compared with")
  private String second = "";

  @Option(names = "--scenario", paramLabel = "NAME", defaultValue = "produce-100",
      description = "whose work is done, see decant list (default: produce-100)")
  private String scenario = "";

  @Option(names = "--scenario-file", paramLabel = "FILE", description = "a scenario of your own instead")
  private @Nullable Path scenarioFile;

  @Option(names = "--metrics", split = ",", paramLabel = "NAME",
      defaultValue = "records_per_s,cpu_us_per_record",
      description = "what to judge by (default: records_per_s,cpu_us_per_record)")
  private List<String> metrics = List.of();

  @Option(names = "--margin", paramLabel = "PERCENT", defaultValue = "5",
      description = "two sides that differ by less are the same (default: 5)")
  private double marginPercent;

  @Mixin
  private Measuring lab = new Measuring();

  private List<Comparison> comparisons = List.of();

  @Override
  public Integer call() throws IOException {
    lab.check();
    lab.roundsByDefault(ROUNDS);
    lab.require(marginPercent > 0 && marginPercent < 100, "--margin must be above 0 and below 100 per cent, not "
        + marginPercent);
    Scenario made;
    try {
      metrics.forEach(Metric::of);
      Side a = Side.parse(first);
      Side b = Side.parse(second);
      ClientJvm.require(a.client(), a.version());
      ClientJvm.require(b.client(), b.version());
      made = lab.reading(() -> ScenarioCatalog.made("compare", text(base(), a, b)));
    } catch (IllegalArgumentException | ClusterException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    nameSides(made);
    int code = lab.run(List.of(made), this);
    boolean worse = comparisons.stream().anyMatch(each -> each.conclusion() == Conclusion.WORSE);
    return code == 0 && worse && lab.isAsserting() && lab.expressions().isEmpty() ? 1 : code;
  }

  /** Adds the JVM to the name of each side, if JVMs are compared. */
  private void nameSides(Scenario made) {
    List<Contender> sides = made.contenders();
    if (sides.stream().anyMatch(side -> side.java() != null)) {
      first = named(first, sides.getFirst());
      second = named(second, sides.getLast());
    }
  }

  private static String named(String side, Contender contender) {
    return side + " (" + Objects.requireNonNullElseGet(contender.java(), JavaRuntime::own).title() + ")";
  }

  private static String text(Scenario base, Side a, Side b) {
    StringBuilder text = new StringBuilder(Side.scenario(base, a, b));
    QUICK_SECONDS.forEach((key, seconds) -> {
      if (base.work().isTimed() && !("\n" + base.commonLines()).contains("\n" + key)) {
        text.append(key).append(" = ").append(seconds).append('\n');
      }
    });
    return text.toString();
  }

  private Scenario base() {
    return scenarioFile == null ? ScenarioCatalog.named(scenario) : ScenarioCatalog.read(scenarioFile);
  }

  @Override
  public String title() {
    return "compare";
  }

  /** Compares the sides; the table and the page then share the result. */
  private List<Comparison> compare(Outcome outcome) {
    if (comparisons.isEmpty() && (outcome.failure().isEmpty() || outcome.isInterrupted())) {
      List<String> sides = outcome.scenario().clients();
      comparisons = metrics.stream().distinct().map(Metric::of)
          .map(metric -> Comparison.of(metric, values(outcome, sides.getFirst(), metric),
              values(outcome, sides.getLast(), metric), marginPercent / 100))
          .toList();
    }
    return comparisons;
  }

  private static List<Double> values(Outcome outcome, String side, Metric metric) {
    return outcome.row(side).samples().stream().map(metric::of).toList();
  }

  @Override
  public List<String> shown() {
    return metrics.stream().distinct().toList();
  }

  @Override
  public List<String> verdicts(List<Outcome> outcomes) {
    return compare(outcomes.getFirst()).stream().map(each -> each.sentence(first, second)).toList();
  }

  @Override
  public String table(List<Outcome> outcomes) {
    return CompareTable.of(outcomes.getFirst(), compare(outcomes.getFirst()), first, second);
  }

  @Override
  public void describe(List<Outcome> outcomes, ObjectNode root) {
    CompareTable.describe(compare(outcomes.getFirst()), first, second, root);
  }
}
