package dev.decant.tls;

import java.io.IOException;
import java.time.Instant;

/**
 * Receives events of changing keys and trusted certificates. Called on the thread that noticed the change: the thread
 * of {@link TlsContext#watchFiles}, or the caller of {@link TlsContext#reload()}.
 */
public interface TlsListener {
  /**
   * Reports that changed files are in use from the next connection on.
   *
   * @param generation of the keys, as in {@link TlsContext#generation()}
   */
  default void onKeysReplaced(int generation) {}

  /**
   * Reports that changed files cannot be used, so the earlier keys stay. Called once for each content, and at each
   * check while a file cannot be read.
   *
   * @param cause names the file and the problem
   */
  default void onKeysRefused(IOException cause) {}

  /**
   * Reports that this side's certificate expires soon. Called when a check of the files finds another number of whole
   * days left, from 30 days on.
   *
   * @param notAfter when the first certificate of the chain expires
   * @param daysLeft whole days, negative when it has expired
   */
  default void onKeysExpire(Instant notAfter, long daysLeft) {}
}
