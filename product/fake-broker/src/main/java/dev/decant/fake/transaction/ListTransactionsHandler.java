package dev.decant.fake.transaction;

import dev.decant.fake.api.ApiHandler;
import dev.decant.fake.api.Reply;
import dev.decant.fake.api.RequestContext;
import dev.decant.fake.cluster.Cluster;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.ListTransactionsRequest;
import dev.decant.kafka.protocol.message.ListTransactionsResponse;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** ListTransactions: returns the transactional ids that a broker coordinates (KIP-664, KIP-994, KIP-1152). */
final class ListTransactionsHandler implements ApiHandler<ListTransactionsRequest, ListTransactionsResponse> {
  private final Cluster cluster;
  private final TransactionCoordinator coordinator;

  ListTransactionsHandler(Cluster cluster, TransactionCoordinator coordinator) {
    this.cluster = cluster;
    this.coordinator = coordinator;
  }

  @Override
  public void handle(ListTransactionsRequest request, RequestContext context, Reply<ListTransactionsResponse> reply) {
    Pattern pattern;
    try {
      String text = request.transactionalIdPattern();
      pattern = text == null || text.isEmpty() ? null : Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      reply.complete(refuse(request, context, ErrorCode.INVALID_REGULAR_EXPRESSION));
      return;
    }
    reply.complete(new ListTransactionsResponse()
        .unknownStateFilters(request.stateFilters().stream().filter(s -> TransactionState.of(s) == null).toList())
        .transactionStates(listed(request, context, pattern)));
  }

  private List<ListTransactionsResponse.TransactionState> listed(ListTransactionsRequest request,
      RequestContext context, @Nullable Pattern pattern) {
    return coordinator.all().stream()
        .filter(transaction -> coordinator.problemOf(transaction.id(), context) == ErrorCode.NONE)
        .filter(transaction -> isWanted(transaction, request))
        .filter(transaction -> pattern == null || pattern.matcher(transaction.id()).matches())
        .map(transaction -> new ListTransactionsResponse.TransactionState().transactionalId(transaction.id())
            .producerId(transaction.producer().id()).transactionState(transaction.state().label()))
        .toList();
  }

  private boolean isWanted(Transaction transaction, ListTransactionsRequest request) {
    boolean isProducer = request.producerIdFilters().isEmpty()
        || request.producerIdFilters().contains(transaction.producer().id());
    boolean isInState = request.stateFilters().isEmpty()
        || request.stateFilters().contains(transaction.state().label());
    boolean isLong = request.durationFilter() < 0
        || cluster.nowMillis() - transaction.startMillis() > request.durationFilter();
    return isProducer && isInState && isLong;
  }

  @Override
  public ListTransactionsResponse refuse(ListTransactionsRequest request, RequestContext context, ErrorCode error) {
    return new ListTransactionsResponse().errorCode(error.code());
  }
}
