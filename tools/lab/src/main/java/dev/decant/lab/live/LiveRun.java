package dev.decant.lab.live;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A run as events of the page: names in snake case with their unit, times in milliseconds since 1970. */
public final class LiveRun {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** Most points of a drawing; more cannot be seen. */
  private static final int MOST_POINTS = 200;
  private static final double STEP_SECONDS = 0.1;

  private final LiveFeed feed;
  private final InstantSource clock;
  private volatile int current = -1;
  /**
   * The time when the current sample began. A late reader needs it, since it receives no begin event of that sample.
   */
  private volatile long began;

  /**
   * Prepares the events; none is published yet.
   *
   * @param feed takes the events
   * @param clock clock of the page
   */
  public LiveRun(LiveFeed feed, InstantSource clock) {
    this.feed = feed;
    this.clock = clock;
  }

  /**
   * Publishes the first event, which describes the run.
   *
   * @param title title of the page
   * @param cluster cluster of the run
   * @param command command line of the run
   * @param environment properties of this machine
   */
  public void begin(String title, String cluster, List<String> command, Map<String, Object> environment) {
    ObjectNode data = now();
    data.put("title", title);
    data.put("cluster", cluster);
    data.set("command", JSON.valueToTree(command));
    data.set("environment", JSON.valueToTree(environment));
    publish("begin", -1, data);
  }

  /**
   * Publishes the plan.
   *
   * @param turns all samples in their order
   */
  public void plan(List<Turn> turns) {
    ObjectNode data = now();
    ArrayNode list = data.putArray("turns");
    for (Turn turn : turns) {
      ObjectNode node = list.addObject();
      node.put("scenario", turn.scenario());
      node.put("client", turn.client());
      node.put("pass", turn.pass());
    }
    publish("plan", -1, data);
  }

  /**
   * Publishes the beginning of a sample.
   *
   * @param turn turn of the sample
   */
  public void start(int turn) {
    current = turn;
    began = clock.millis();
    publish(LiveFeed.BEGIN, turn, now());
  }

  /**
   * Publishes the rate of the current sample.
   *
   * @param recordsPerSecond rate in the last second
   */
  public void rate(long recordsPerSecond) {
    ObjectNode data = now();
    data.put("records_per_s", recordsPerSecond);
    publish(LiveFeed.RATE, current, data);
  }

  /**
   * Publishes a sample.
   *
   * @param turn turn of the sample
   * @param figures figures by name, in the order of the table's columns
   * @param recordsPerSecond rate over time, in steps of 100 ms
   */
  public void sample(int turn, Map<String, Double> figures, List<Long> recordsPerSecond) {
    ObjectNode data = now();
    data.put("began", began);
    ObjectNode measured = data.putObject("figures");
    figures.forEach((name, value) -> {
      if (Double.isFinite(value)) {
        measured.put(name, value);
      }
    });
    int share = Math.max(1, Math.ceilDiv(recordsPerSecond.size(), MOST_POINTS));
    data.put("step_seconds", share * STEP_SECONDS);
    ArrayNode rates = data.putArray("rates");
    for (int i = 0; i + share <= recordsPerSecond.size(); i += share) {
      rates.add(Math.round(
          recordsPerSecond.subList(i, i + share).stream().mapToLong(Long::longValue).average().orElse(0)));
    }
    publish("sample", turn, data);
  }

  /**
   * Publishes the failure of a sample.
   *
   * @param turn turn of the sample
   * @param why reason in one line
   */
  public void failure(int turn, String why) {
    ObjectNode data = now();
    data.put("began", began);
    data.put("text", why);
    publish("failure", turn, data);
  }

  /**
   * Publishes a line of the terminal.
   *
   * @param line the line
   */
  public void line(String line) {
    ObjectNode data = now();
    data.put("text", line);
    publish(LiveFeed.LINE, -1, data);
  }

  /**
   * Publishes the last event.
   *
   * @param how reason of an early end; empty if the run was completed
   * @param verdicts verdicts on the run's bars
   * @param written path of the result
   */
  public void end(String how, Collection<String> verdicts, String written) {
    ObjectNode data = now();
    data.put("how", how);
    data.set("verdicts", JSON.valueToTree(verdicts));
    data.put("written", written);
    publish("end", -1, data);
  }

  private ObjectNode now() {
    return JSON.createObjectNode().put("at", clock.millis());
  }

  private void publish(String type, int turn, ObjectNode data) {
    if (turn >= 0) {
      data.put("turn", turn);
    }
    feed.publish(type, turn, data.toString());
  }
}
