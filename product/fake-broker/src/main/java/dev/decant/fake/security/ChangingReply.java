package dev.decant.fake.security;

import dev.decant.fake.api.Reply;
import java.util.function.UnaryOperator;

/**
 * Changes a response on its way to the client.
 *
 * @param <R> the response
 */
final class ChangingReply<R> implements Reply<R> {
  private final Reply<R> to;
  private final UnaryOperator<R> change;
  /** True if a part was refused: a client that expects no response then sees its connection closed. */
  private final boolean isRefusal;

  private ChangingReply(Reply<R> to, UnaryOperator<R> change, boolean isRefusal) {
    this.to = to;
    this.change = change;
    this.isRefusal = isRefusal;
  }

  static <R> Reply<R> of(Reply<R> to, UnaryOperator<R> change) {
    return new ChangingReply<>(to, change, false);
  }

  /** Returns a reply whose response also has the refused parts. */
  static <R> Reply<R> ofRefusal(Reply<R> to, UnaryOperator<R> change) {
    return new ChangingReply<>(to, change, true);
  }

  @Override
  public void complete(R response) {
    to.complete(change.apply(response));
  }

  @Override
  public void completeWithoutResponse() {
    if (isRefusal) {
      to.closeConnection("a part of a request without a response is refused");
    } else {
      to.completeWithoutResponse();
    }
  }

  @Override
  public void closeConnection(String reason) {
    to.closeConnection(reason);
  }

  @Override
  public void attempt(Runnable step) {
    to.attempt(step);
  }
}
