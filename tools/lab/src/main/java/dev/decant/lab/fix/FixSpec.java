package dev.decant.lab.fix;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What one JVM does.
 *
 * @param engine which
 * @param work what
 * @param spinning whether its threads spin instead of blocking
 * @param amount how much
 * @param session how the sessions are set
 * @param directory for the files of stores and logs; it exists and is empty
 */
record FixSpec(Engine engine, FixWork work, boolean spinning, Amount amount, Sessions session, String directory) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * How much is done.
   *
   * @param warmUpMessages at least, before what is measured
   * @param warmUpMillis how long that may take at most; 0 for no bound
   * @param messages measured; 0 for as many as fit into the time
   * @param millis how long the measurement takes at most; 0 for no bound
   * @param ratePerSecond of paced work
   */
  record Amount(long warmUpMessages, long warmUpMillis, long messages, long millis, int ratePerSecond) {}

  /**
   * How the sessions are set.
   *
   * @param pairs how many initiators, each with its acceptor; the first one sends orders
   * @param heartbeatSeconds HeartBtInt
   * @param logged whether a log of all messages is written
   * @param dictionaryJar of Decant: the jar that has QuickFIX's dictionaries; empty for other engines
   */
  record Sessions(int pairs, int heartbeatSeconds, boolean logged, String dictionaryJar) {

    /** Those of an engine. */
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
