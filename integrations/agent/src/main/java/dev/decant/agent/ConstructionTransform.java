package dev.decant.agent;

import java.lang.classfile.Attributes;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.attribute.StackMapFrameInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.SimpleVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.UninitializedVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.VerificationTypeInfo;
import java.lang.classfile.attribute.StackMapTableAttribute;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Changes the code of a method by its plan.
 *
 * <pre>
 * new KafkaProducer                        aconst_null
 * dup                                      dup
 * (arguments)                              (arguments)
 * invokespecial &lt;init&gt;(Map)V               invokedynamic (Object, Object, Map)KafkaProducer
 * </pre>
 *
 * The nulls hold the places of the object that is not there yet, and the call takes them off the stack. Frames between
 * these instructions have null, too, where an uninitialized object was.
 */
final class ConstructionTransform implements CodeTransform {
  private final CodeAttribute code;
  private final ConstructionPlan plan;
  private final ConstructorMethods methods;
  private final Set<Label> news = new HashSet<>();
  private int index;
  private Optional<Label> here = Optional.empty();

  ConstructionTransform(CodeAttribute code, ConstructionPlan plan, ConstructorMethods methods) {
    this.code = code;
    this.plan = plan;
    this.methods = methods;
  }

  @Override
  public void accept(CodeBuilder builder, CodeElement element) {
    int at = index++;
    if (element instanceof java.lang.classfile.instruction.LabelTarget target) {
      here = Optional.of(target.label());
    } else if (element instanceof java.lang.classfile.Instruction) {
      if (plan.isNew(at)) {
        here.ifPresent(news::add);
      }
      here = Optional.empty();
    }
    if (plan.isNew(at)) {
      builder.aconst_null();
    } else if (plan.isCall(at)) {
      construct(builder, (InvokeInstruction) element, plan.isUsed(at));
    } else if (element instanceof InvokeDynamicInstruction dynamic) {
      builder.invokedynamic(withoutConstructors(dynamic));
    } else if (element instanceof ConstantInstruction.LoadConstantInstruction constant
        && ConstructionPlan.isConstructorHandle(constant.constantValue())) {
      builder.ldc(methods.insteadOf((DirectMethodHandleDesc) constant.constantValue()));
    } else {
      builder.with(element);
    }
  }

  private static void construct(CodeBuilder builder, InvokeInstruction call, boolean used) {
    builder.invokedynamic(ConstructorMethods.callSite(call.owner().asSymbol(), call.typeSymbol(), used ? 2 : 1));
    if (!used) {
      builder.pop();
    }
  }

  private DynamicCallSiteDesc withoutConstructors(InvokeDynamicInstruction dynamic) {
    ConstantDesc[] arguments = dynamic.bootstrapArgs().stream()
        .map(argument -> ConstructionPlan.isConstructorHandle(argument)
            ? methods.insteadOf((DirectMethodHandleDesc) argument)
            : argument)
        .toArray(ConstantDesc[]::new);
    return DynamicCallSiteDesc.of(dynamic.bootstrapMethod(), dynamic.name().stringValue(), dynamic.typeSymbol(),
        arguments);
  }

  @Override
  public void atEnd(CodeBuilder builder) {
    Optional<StackMapTableAttribute> frames = code.findAttribute(Attributes.stackMapTable());
    if (frames.isPresent()) {
      builder.with(StackMapTableAttribute.of(frames.get().entries().stream().map(this::withNulls).toList()));
    }
  }

  private StackMapFrameInfo withNulls(StackMapFrameInfo frame) {
    return StackMapFrameInfo.of(frame.target(), withNulls(frame.locals()), withNulls(frame.stack()));
  }

  private List<VerificationTypeInfo> withNulls(List<VerificationTypeInfo> types) {
    return types.stream().map(type -> type instanceof UninitializedVerificationTypeInfo uninitialized
        && news.contains(uninitialized.newTarget()) ? SimpleVerificationTypeInfo.NULL : type).toList();
  }
}
