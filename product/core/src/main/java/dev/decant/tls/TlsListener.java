package dev.decant.tls;

import java.io.IOException;
import java.time.Instant;

/**
 * Told of keys and trusted certificates that change. Called on the thread that has noticed: the one of
 * {@link TlsContext#watchFiles}, or the caller of {@link TlsContext#reload()}.
 */
public interface TlsListener {
  /**
   * Changed files are in use from the next connection on.
   *
   * @param generation of the keys, as {@link TlsContext#generation()} tells it
   */
  default void onKeysReplaced(int generation) {}

  /**
   * Changed files cannot be used: the keys before them stay. Told once for each content; of a file that cannot be read,
   * at each look.
   *
   * @param cause names the file and what is wrong
   */
  default void onKeysRefused(IOException cause) {}

  /**
   * The own certificate expires soon. Told by each look at the files that finds another number of whole days left, from
   * 30 days on.
   *
   * @param notAfter when the first certificate of the chain expires
   * @param daysLeft whole days, negative when it has expired
   */
  default void onKeysExpire(Instant notAfter, long daysLeft) {}
}
