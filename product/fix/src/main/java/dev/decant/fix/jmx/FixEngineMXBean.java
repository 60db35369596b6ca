package dev.decant.fix.jmx;

/** An engine, as a JMX client sees it. Reading it does not wait for the loop. */
public interface FixEngineMXBean {
  /**
   * The sessions of the engine.
   *
   * @return their identities, such as {@code FIX.4.4:SENDER->TARGET}
   */
  String[] getSessions();

  /**
   * How many sessions there are.
   *
   * @return the number
   */
  int getSessionCount();

  /**
   * How many sessions are logged on.
   *
   * @return the number
   */
  int getLoggedOnCount();

  /**
   * The sessions that are down while their schedule has them open, each with its reason.
   *
   * @return a line for each; empty if all are as they should be
   */
  String[] getDown();
}
