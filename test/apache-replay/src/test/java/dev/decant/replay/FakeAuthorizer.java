package dev.decant.replay;

import dev.decant.fake.FakeSecurity;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.server.authorizer.AclCreateResult;
import org.apache.kafka.server.authorizer.AclDeleteResult;
import org.apache.kafka.server.authorizer.AclDeleteResult.AclBindingDeleteResult;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;

/** The authorizer by which tests of Apache's change the rules of their brokers: those of a fake cluster. */
final class FakeAuthorizer implements Authorizer {
  private final FakeSecurity security;
  private final Map<AclBinding, Boolean> bindings = new ConcurrentHashMap<>();

  FakeAuthorizer(FakeSecurity security) {
    this.security = security;
  }

  @Override
  public List<CompletableFuture<AclCreateResult>> createAcls(AuthorizableRequestContext context,
      List<AclBinding> wanted) {
    return wanted.stream().map(this::create).map(CompletableFuture::completedFuture).toList();
  }

  private AclCreateResult create(AclBinding binding) {
    if (binding.entry().operation() == AclOperation.UNKNOWN) {
      return new AclCreateResult(new ApiException("no rule can be of " + binding));
    }
    if (bindings.putIfAbsent(binding, true) == null) {
      FakeRules.add(security, binding.entry(), binding.pattern());
    }
    return AclCreateResult.SUCCESS;
  }

  @Override
  public List<CompletableFuture<AclDeleteResult>> deleteAcls(AuthorizableRequestContext context,
      List<AclBindingFilter> filters) {
    return filters.stream().map(this::delete).map(CompletableFuture::completedFuture).toList();
  }

  private AclDeleteResult delete(AclBindingFilter filter) {
    List<AclBinding> matching = bindings.keySet().stream().filter(filter::matches).toList();
    for (AclBinding binding : matching) {
      bindings.remove(binding);
      FakeRules.remove(security, binding.entry(), binding.pattern());
    }
    return new AclDeleteResult(matching.stream().map(AclBindingDeleteResult::new).toList());
  }

  @Override
  public Iterable<AclBinding> acls(AclBindingFilter filter) {
    return bindings.keySet().stream().filter(filter::matches).toList();
  }

  @Override
  public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
    throw new UnsupportedOperationException("the test looks into Kafka's brokers: Authorizer.authorize");
  }

  @Override
  public Map<Endpoint, CompletableFuture<Void>> start(AuthorizerServerInfo info) {
    return Map.of();
  }

  @Override
  public void configure(Map<String, ?> configs) {}

  @Override
  public void close() {}
}
