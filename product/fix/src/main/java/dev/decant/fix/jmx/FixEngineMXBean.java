package dev.decant.fix.jmx;

/** An engine for JMX clients. Reads do not wait for the loop. */
public interface FixEngineMXBean {
  /**
   * Returns the sessions of the engine.
   *
   * @return their identities, such as {@code FIX.4.4:SENDER->TARGET}
   */
  String[] getSessions();

  /**
   * Returns how many sessions there are.
   *
   * @return the number
   */
  int getSessionCount();

  /**
   * Returns how many sessions are logged on.
   *
   * @return the number
   */
  int getLoggedOnCount();

  /**
   * Returns the sessions that are down while their schedule is open, each with its reason.
   *
   * @return one line per session; empty if there is none
   */
  String[] getDown();
}
