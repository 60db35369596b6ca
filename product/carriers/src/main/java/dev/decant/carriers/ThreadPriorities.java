package dev.decant.carriers;

import java.io.IOException;

/** Reads and sets the nice value of single threads. */
interface ThreadPriorities {

  /**
   * Reads the nice value of a thread.
   *
   * @param threadId its number in the system
   * @return -20 to 19
   * @throws IOException with one sentence, when the system refuses or the thread has ended
   */
  int nice(int threadId) throws IOException;

  /**
   * Sets the nice value of a thread.
   *
   * @param threadId its number in the system
   * @param nice -20 to 19
   * @throws IOException with one sentence, when the system refuses or the thread has ended
   */
  void setNice(int threadId, int nice) throws IOException;
}
