package dev.decant.agent;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Static methods of a class in the place of the handles of constructors that it has. A handle of a call site would not
 * do: {@code LambdaMetafactory} takes those of methods and constructors alone.
 */
final class ConstructorMethods {
  private static final String PREFIX = "decant$construct$";
  private static final DirectMethodHandleDesc LINK = ConstantDescs.ofCallsiteBootstrap(
      ClassDesc.of(Construction.class.getName()), "link", ConstantDescs.CD_CallSite, ConstantDescs.CD_int);

  private final ClassModel model;
  private final Map<DirectMethodHandleDesc, DirectMethodHandleDesc> methods = new LinkedHashMap<>();

  ConstructorMethods(ClassModel model) {
    this.model = model;
  }

  /**
   * A call that constructs a client.
   *
   * @param apache Apache's class
   * @param constructor the type of its constructor
   * @param places how many nulls lie under the arguments
   */
  static DynamicCallSiteDesc callSite(ClassDesc apache, MethodTypeDesc constructor, int places) {
    MethodTypeDesc type = constructor.changeReturnType(apache);
    for (int i = 0; i < places; i++) {
      type = type.insertParameterTypes(0, ConstantDescs.CD_Object);
    }
    return DynamicCallSiteDesc.of(LINK, "construct", type, places);
  }

  /** The handle of a method that does what a constructor does. */
  DirectMethodHandleDesc insteadOf(DirectMethodHandleDesc constructor) {
    boolean inInterface = model.flags().has(AccessFlag.INTERFACE);
    return methods.computeIfAbsent(constructor, key -> MethodHandleDesc.ofMethod(
        inInterface ? DirectMethodHandleDesc.Kind.INTERFACE_STATIC : DirectMethodHandleDesc.Kind.STATIC,
        model.thisClass().asSymbol(), PREFIX + methods.size(), typeOf(key).changeReturnType(key.owner())));
  }

  private static MethodTypeDesc typeOf(DirectMethodHandleDesc constructor) {
    return MethodTypeDesc.ofDescriptor(constructor.lookupDescriptor());
  }

  /** Adds the methods to their class. */
  void addTo(ClassBuilder builder) {
    methods.forEach((constructor, method) -> builder.withMethodBody(method.methodName(), method.invocationType(),
        ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC, code -> {
          MethodTypeDesc type = method.invocationType();
          for (int i = 0; i < type.parameterCount(); i++) {
            code.loadLocal(TypeKind.from(type.parameterType(i)), code.parameterSlot(i));
          }
          code.invokedynamic(callSite(constructor.owner(), typeOf(constructor), 0)).areturn();
        }));
  }
}
