package dev.decant.lab;

import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.work.Redrive;
import dev.decant.kafka.work.Work;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code decant redrive}: sends dead letters back. */
@Command(name = "redrive", mixinStandardHelpOptions = true, sortOptions = false, description = {
    "Sends dead letters back to the topics that they come from.",
    "It reads the headers that Decant and Spring Kafka write, and ends with the dead letters that the topic has now.",
    "A consumer group keeps the progress, so a second run sends nothing again."})
final class RedriveCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec = CommandSpec.create(); // picocli replaces it

  @Option(names = "--broker", paramLabel = "HOST:PORT", required = true,
      description = "of the cluster, or several with commas")
  private String broker = "";

  @Option(names = "--client-config", paramLabel = "FILE",
      description = "settings of the client, such as those of TLS and SASL, as Kafka's own tools take")
  private @Nullable Path clientConfig;

  @Option(names = "--topic", paramLabel = "NAME", required = true, description = "the topic with the dead letters")
  private String topic = "";

  @Option(names = "--to", paramLabel = "NAME",
      description = "sends all to this topic (default: where each comes from)")
  private @Nullable String target;

  @Option(names = "--limit", paramLabel = "N", description = "sends so many at most (default: all)")
  private @Nullable Long limit;

  @Option(names = "--group", paramLabel = "ID",
      description = "the group that keeps the progress (default: the name of the topic with -redrive)")
  private @Nullable String group;

  @Option(names = "--keep-timestamps",
      description = "keeps the timestamps of dead letters (default: the time of the run, so that retention does not"
          + " delete them at once)")
  private boolean keepsTimestamps;

  @Option(names = "--dry-run", description = "only counts, and sends nothing")
  private boolean isDryRun;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Usage.require(spec, Usage.areAddresses(broker),
        "--broker must be HOST:PORT, or several with commas, not \"" + broker + "\"");
    Usage.require(spec, limit == null || limit > 0, "--limit must be 1 or more, not " + limit);
    try (KafkaClient client = KafkaClient.fromProperties(properties())) {
      Redrive.Result result = redrive(client).run();
      PrintWriter out = spec.commandLine().getOut();
      out.println((isDryRun ? "would redrive " : "redriven ") + result.redriven() + (result.unusable() > 0
          ? ", and " + result.unusable() + " have no topic that they come from, or have lost their value"
          : ""));
      out.flush();
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private Properties properties() throws IOException {
    Properties properties = new Properties();
    properties.setProperty("decant.runtime.check.enable", "false"); // the flags of this JVM are not the user's
    Path file = clientConfig;
    if (file != null) {
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      }
    }
    properties.setProperty("bootstrap.servers", broker);
    return properties;
  }

  private Redrive redrive(KafkaClient client) {
    Redrive redrive = Work.redrive(client, topic);
    if (target != null) {
      redrive.to(target);
    }
    if (limit != null) {
      redrive.limit(limit);
    }
    if (group != null) {
      redrive.group(group);
    }
    if (keepsTimestamps) {
      redrive.keepTimestamps();
    }
    return isDryRun ? redrive.dryRun() : redrive;
  }
}
