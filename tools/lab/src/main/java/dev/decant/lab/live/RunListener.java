package dev.decant.lab.live;

import java.util.List;
import java.util.Map;

/**
 * Follows a run, and says when it must end. The thread of the run calls it between two measurements; {@link #onRate}
 * may come on any thread. Turns are counted from 0, in the order of the plan; turns of what has failed may be left out.
 */
public interface RunListener {

  /**
   * Takes the plan, before all else.
   *
   * @param turns all samples in their order
   */
  void onPlan(List<Turn> turns);

  /**
   * Takes the beginning of a sample. Until the sample's end the thread may be interrupted, to end the run.
   *
   * @param turn turn of the sample
   */
  void onBegin(int turn);

  /**
   * Returns true if rates are shown while a sample is taken.
   *
   * @return the same throughout a run
   */
  boolean wantsRates();

  /**
   * Takes the rate of the current sample, once a second. Any thread.
   *
   * @param recordsPerSecond rate in the last second
   */
  void onRate(long recordsPerSecond);

  /**
   * Takes a sample.
   *
   * @param turn turn of the sample
   * @param figures measured figures by name, the main one first
   * @param recordsPerSecond rate over time, in steps of 100 ms; perhaps empty
   */
  void onSample(int turn, Map<String, Double> figures, List<Long> recordsPerSecond);

  /**
   * Takes the failure of a sample.
   *
   * @param turn turn of the sample
   * @param why reason in one line
   */
  void onFailure(int turn, String why);

  /**
   * Takes a line for people.
   *
   * @param line line for a terminal
   */
  void onLine(String line);

  /**
   * Returns true if the run must end: no other sample may begin, and a sample that was cut short is no failure.
   *
   * @return stays true
   */
  boolean isEnding();
}
