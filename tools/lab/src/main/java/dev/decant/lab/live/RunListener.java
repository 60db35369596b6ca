package dev.decant.lab.live;

import java.util.List;
import java.util.Map;

/**
 * Who is told how a run goes, and says when it is to end. Called on the thread that runs, between two measurements, but
 * for {@link #onRate}. Turns are counted from 0, in the order of the plan; those of what has failed may be left out.
 */
public interface RunListener {

  /**
   * Told first: what is to come.
   *
   * @param turns all samples in their order
   */
  void onPlan(List<Turn> turns);

  /**
   * A sample begins. From here until its end the thread may be interrupted, because the run is to end.
   *
   * @param turn which
   */
  void onBegin(int turn);

  /**
   * Whether somebody wants to see throughput while a sample is taken.
   *
   * @return the same throughout a run
   */
  boolean wantsRates();

  /**
   * How fast the client is that is measured now. Called once a second, from any thread.
   *
   * @param recordsPerSecond in the last second
   */
  void onRate(long recordsPerSecond);

  /**
   * A sample has been taken.
   *
   * @param turn which
   * @param figures by name, the main one first; those that were measured
   * @param recordsPerSecond over time, in steps of 100 ms; perhaps none
   */
  void onSample(int turn, Map<String, Double> figures, List<Long> recordsPerSecond);

  /**
   * A sample could not be taken, or not to its end.
   *
   * @param turn which
   * @param why one line
   */
  void onFailure(int turn, String why);

  /**
   * Something to tell a person.
   *
   * @param line for a terminal
   */
  void onLine(String line);

  /**
   * Whether the run is to end now: no other sample is to be begun, and one that was cut short is no failure.
   *
   * @return true for ever after it was true once
   */
  boolean isEnding();
}
