package dev.decant.lab.fix;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The work of one JVM.
 *
 * @param engine the engine
 * @param work the work
 * @param spinning true if threads spin instead of blocking
 * @param amount messages and duration
 * @param session settings of the sessions
 * @param directory directory for the files of stores and logs; it exists and is empty
 */
record FixSpec(Engine engine, FixWork work, boolean spinning, Amount amount, Sessions session, String directory) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The messages and the duration of a sample.
   *
   * @param warmUpMessages least number of messages before the measurement
   * @param warmUpMillis most time of the warm-up; 0 for no bound
   * @param messages number of measured messages; 0 for no bound
   * @param millis most time of the measurement; 0 for no bound
   * @param ratePerSecond rate of paced work
   */
  record Amount(long warmUpMessages, long warmUpMillis, long messages, long millis, int ratePerSecond) {}

  /**
   * The settings of the sessions.
   *
   * @param pairs number of initiators, each with its acceptor; the first one sends orders
   * @param heartbeatSeconds HeartBtInt(108)
   * @param logged true if all messages are logged
   * @param dictionaryJar the jar with QuickFIX's dictionaries, for Decant; empty for other engines
   */
  record Sessions(int pairs, int heartbeatSeconds, boolean logged, String dictionaryJar) {

    /** Returns the settings for an engine. */
    static Sessions of(Engine engine, int pairs, int heartbeatSeconds, boolean logged) {
      return new Sessions(pairs, heartbeatSeconds, logged, engine.isDecant() ? QuickFixDictionaries.jar() : "");
    }
  }

  String toJson() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a specification is always JSON", e);
    }
  }

  static FixSpec ofJson(String json) throws JsonProcessingException {
    return JSON.readValue(json, FixSpec.class);
  }
}
