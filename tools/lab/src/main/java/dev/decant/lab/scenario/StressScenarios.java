package dev.decant.lab.scenario;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.stress.Sample;
import dev.decant.lab.stress.StressPlan;
import dev.decant.lab.stress.StressResult;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The scenarios of {@code decant stress} without {@code --scenario}: producing and consuming at each size of a record.
 * Each scenario is a file of the lab in which the command's options replace settings. Its bars are set for {@link
 * StressPlan#BARE_SIZE}, and apply if all clients that they name take part.
 */
public final class StressScenarios {
  private static final String PEER = "kafka-clients";

  private StressScenarios() {}

  /**
   * Makes the scenarios of a plan.
   *
   * @param plan the plan
   * @return one scenario for each work and size, in the order of the plan
   */
  public static List<Scenario> of(StressPlan plan) {
    List<Scenario> scenarios = new ArrayList<>();
    for (String work : plan.scenarios()) {
      for (int size : plan.recordSizes()) {
        scenarios
            .add(ScenarioCatalog.made(work + ", " + size + " bytes", text(work, size, settings(plan, work, size))));
      }
    }
    return scenarios;
  }

  /**
   * Collects the measurements.
   *
   * @param plan the plan
   * @param outcomes outcomes of its scenarios, in the same order
   * @return all samples
   */
  public static StressResult result(StressPlan plan, List<Outcome> outcomes) {
    return new StressResult(plan, outcomes.stream().flatMap(outcome -> outcome.samples().stream())
        .map(sample -> new Sample(sample.scenario().replaceFirst(",.*", ""), sample.recordSize(),
            sample.client().equals(PEER) ? StressPlan.PEER : sample.client(), sample.delivered(), sample.expected(),
            sample.measured()))
        .toList());
  }

  private static Map<String, String> settings(StressPlan plan, String work, int size) {
    boolean produces = work.equals("produce");
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("clients", plan.clients(size).stream().map(client -> client.equals(StressPlan.PEER) ? PEER : client)
        .collect(Collectors.joining(", ")));
    settings.put("partitions", Integer.toString(plan.partitions()));
    settings.put("record.size", Integer.toString(size));
    if (produces) {
      settings.put("producer.acks", plan.acks());
      settings.put("producer.enable.idempotence", Boolean.toString(plan.acks().equals("all")));
      settings.put("producer.linger.ms", Integer.toString(plan.lingerMillis()));
      settings.put("producer.batch.size", Integer.toString(plan.batchSizeBytes()));
    } else {
      settings.put("topic.records", Long.toString(plan.topicRecords(size)));
      settings.put("consumer.fetch.max.wait.ms", Integer.toString(WorkSpec.FETCH_MAX_WAIT_MILLIS));
    }
    boolean timed = plan.durationMillis() > 0; // the time ends the sample then, and all its records count
    settings.put("seconds", timed ? BigDecimal.valueOf(plan.durationMillis(), 3).toPlainString() : "0");
    settings.put("records",
        timed ? "0" : Long.toString(produces ? plan.produceRecords(size) : plan.consumeRecords(size)));
    settings.put("warm-up", Long.toString(produces ? plan.warmUpRecords(size) : plan.consumeRecords(size)));
    settings.put("warm-up.seconds", Long.toString(plan.warmUpMillis() / 1000));
    return settings;
  }

  /** Returns the file with replaced settings, without settings and bars of clients that do not take part. */
  private static String text(String work, int size, Map<String, String> settings) {
    List<String> clients = List.of(settings.getOrDefault("clients", "").split(", ", -1));
    StringBuilder text = new StringBuilder();
    for (String line : ScenarioCatalog.resource("comparison/" + work + ".scenario").lines().toList()) {
      String[] named = line.split("=", 2)[0].split("@", 2);
      String key = named[0].strip();
      boolean isOfAnother = named.length == 2 && !clients.contains(named[1].strip());
      boolean isUnmeasuredBar = key.equals("bar")
          && !(size == StressPlan.BARE_SIZE && Bar.parse(line.split("=", 2)[1]).isOf(clients));
      if (!settings.containsKey(key) && !isOfAnother && !isUnmeasuredBar) {
        text.append(line).append('\n');
      }
    }
    settings.forEach((key, value) -> text.append(key).append(" = ").append(value).append('\n'));
    return text.toString();
  }
}
