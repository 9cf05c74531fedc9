#!/usr/bin/env python3
"""Writes src/kernels/laws.h: energy densities of laws and their derivatives.

    tools/laws.py                   replaces src/kernels/laws.h
    tools/laws.py --output FILE     writes FILE

To add a law, add its energy density to LAWS and run the script. It is a function of

    d1 = I1 - 3 - 2 (J - 1),   d2 = I2 - 3 - 4 (J - 1),   j = J - 1

with the invariants I1 = tr C, I2 = (I1^2 - tr C^2) / 2, J = det F. d1 and d2 are of second order in the strain, so the rest shape
is free of stress where the derivative by j vanishes at zero, and nothing cancels near it: forces and energies keep their digits
at any strain, provided that a density is written in these variables and in the functions below. Derivatives are not simplified,
because a simplification may subtract large numbers again.
"""
import argparse
import pathlib
import re

from sympy import Add, Function, Integer, Mul, Pow, Rational, Symbol, cse, numbered_symbols, symbols

d1, d2, j, b1, b2 = symbols("d1 d2 j b1 b2")
mu, lam, c10, c01, c1, c2, r, bulk, a, q = symbols("mu lambda c10 c01 c1 c2 r bulk a q")


class inverse(Function):
    """1 / (1 + x)"""
    nargs = 1

    def fdiff(self, index=1):
        return -self**2


class log1p(Function):
    """ln(1 + x)"""
    nargs = 1

    def fdiff(self, index=1):
        return inverse(self.args[0])


class log1p_rest(Function):
    """x - ln(1 + x), of second order"""
    nargs = 1

    def fdiff(self, index=1):
        return self.args[0] * inverse(self.args[0])


class expm1(Function):
    """exp(x) - 1"""
    nargs = 1

    def fdiff(self, index=1):
        return exp(self.args[0])


class exp(Function):
    nargs = 1

    def fdiff(self, index=1):
        return self


class side(Function):
    """(1 + x)^(-1/3): J = 1 + x is the volume of a cube, this one over its side"""
    nargs = 1

    def fdiff(self, index=1):
        return -self**4 / 3


class growth(Function):
    """(1 + x)^(1/3) - 1"""
    nargs = 1

    def fdiff(self, index=1):
        return side(self.args[0])**2 / 3


# Ibar1 - 3 = (I1 - 3 m^2) / m^2 and Ibar2 - 3 = (I2 - 3 m^4) / m^4 with m = J^(1/3) = 1 + n. I1 - 3 m^2 = d1 + 1 + 2 m^3 - 3 m^2
# = d1 + n^2 (3 + 2 n); I2 - 3 m^4 = d2 - 1 + 4 m^3 - 3 m^4 = d2 - n^2 (6 + 8 n + 3 n^2)
n, over = growth(j), side(j)
BARS = [(d1, (d1 + n**2 * (3 + 2 * n)) * over**2), (d2, (d2 - n**2 * (6 + 8 * n + 3 * n**2)) * over**4)]


def arruda_boyce():
    """Arruda and Boyce 1993, five terms of the series of the inverse Langevin function; r = 1 / N"""
    factors = [Rational(1, 2), Rational(1, 20), Rational(11, 1050), Rational(19, 7000), Rational(519, 673750)]
    total = sum(f * r**(i - 1) * ((b1 + 3)**i - 3**i).expand() for i, f in enumerate(factors, 1)).expand()
    nested = Integer(0)
    for i in range(5, 0, -1):  # the constant is zero
        nested = (nested + total.coeff(b1, i)) * b1
    return mu * nested


first = d1 + 2 * j  # I1 - 3
# name, source, coefficients, energy density
LAWS = [
    ("stvk", "Saint-Venant and Kirchhoff: mu tr E^2 + lambda/2 (tr E)^2", [mu, lam],
     mu / 4 * (first**2 + 4 * d1 - 2 * d2) + lam / 8 * first**2),
    ("stable", "Smith, De Goes and Kim 2018, eq. 14: m/2 (I1 - 3) - m/2 ln(I1 + 1) + l/2 (J - 1 - 3 m / (4 l))^2 plus a constant, "
     "with m = 4/3 mu and l = lambda + 5/6 mu, which make it Hooke's law at small strains", [mu, lam],
     mu / 2 * d1 + mu * Rational(2, 3) * log1p_rest(d1 / 4 + j / 2) + (lam / 2 + mu * Rational(5, 12)) * j**2),
    ("log", "Bonet and Wood 2008, eq. 6.27: mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J", [mu, lam],
     mu / 2 * d1 + mu * log1p_rest(j) + lam / 2 * log1p(j)**2),
]
# isochoric: densities in b1 = Ibar1 - 3 and b2 = Ibar2 - 3, to which the energy of a change of volume is added
ISOCHORIC = [
    ("isochoric", "mu/2 (Ibar1 - 3)", [mu], mu / 2 * b1),
    ("mooney_rivlin", "Mooney 1940, Rivlin 1948: c10 (Ibar1 - 3) + c01 (Ibar2 - 3)", [c10, c01], c10 * b1 + c01 * b2),
    ("arruda_boyce", "Arruda and Boyce 1993: mu sum C_i / N^(i - 1) (Ibar1^i - 3^i), five terms", [mu, r], arruda_boyce()),
    ("veronda_westmann", "Veronda and Westmann 1970: c1 (exp(c2 (Ibar1 - 3)) - 1) - c1 c2 / 2 (Ibar2 - 3)", [c1, c2],
     c1 * expm1(c2 * b1) - c1 * c2 / 2 * b2),
]
VOLUMES = [
    ("log", "k/2 ln^2 J", bulk / 2 * log1p(j)**2),
    ("quadratic", "k/2 (J - 1)^2", bulk / 2 * j**2),
    ("mixed", "k/2 ((J^2 - 1) / 2 - ln J)", bulk / 2 * (j**2 / 2 + log1p_rest(j))),
]

# laws to which a penalty k/2 (J - 1)^2 is added; in the energy of "stable", lambda is its modulus
PENALISED = ["stvk", "log"]
# Costa et al. 2001 in the quadratic form q = Q(E) of the strain and j: a/2 (exp(J^(-4/3) Q) - 1), and its energy of a change of
# volume, which is k/2 j^2 at small j
COSTA = a / 2 * expm1(q * side(j)**4)
COSTA_VOLUME = ("costa", "k (J ln J - J + 1)", bulk * (j**2 - (1 + j) * log1p_rest(j)))

# names of sp_law (src/kernels/law.h)
ENUM = {
    "stvk": "STVK",
    "stable": "NEO_HOOKEAN_STABLE",
    "log": "NEO_HOOKEAN_LOG",
    "isochoric": "NEO_HOOKEAN_ISOCHORIC",
    "mooney_rivlin": "MOONEY_RIVLIN",
    "arruda_boyce": "ARRUDA_BOYCE",
    "veronda_westmann": "VERONDA_WESTMANN",
}

FUNCTIONS = {
    inverse: "1 / (1 + {})",
    log1p: "lane_log1p({})",
    log1p_rest: "lane_log1p_rest({})",
    expm1: "lane_expm1({})",
    exp: "lane_exp({})",
    growth: "lane_expm1(lane_log1p({}) / 3)",
    side: "lane_exp(lane_log1p({}) / -3)",
}


def number(value):
    if value.q == 1:
        return f"{value.p}"
    return f"SP_RATIO({value.p}, {value.q})"


def factor(expression):
    text = code(expression)
    return f"({text})" if isinstance(expression, Add) else text


def code(expression):
    if expression.is_Rational:
        return number(expression)
    if isinstance(expression, Symbol):
        return expression.name
    if isinstance(expression, Pow):
        assert expression.exp.is_Integer and expression.exp > 1, expression
        return " * ".join([factor(expression.base)] * int(expression.exp))
    if isinstance(expression, Mul):
        coefficient, rest = expression.as_coeff_Mul()
        sign = "-" if coefficient < 0 else ""
        head = [] if abs(coefficient) == 1 else [number(abs(coefficient))]
        return sign + " * ".join(head + [factor(x) for x in Mul.make_args(rest)])
    if isinstance(expression, Add):
        text = ""
        for term in expression.as_ordered_terms():
            piece = code(term)
            if text:
                text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
            else:
                text = piece
        return text
    raise ValueError(f"no C for {expression!r}")


def name_functions(expressions):
    """replaces function values by symbols, innermost first; returns their definitions"""
    definitions = []
    while True:
        calls = sorted({call for e in expressions for call in e.atoms(Function)}, key=lambda c: (c.count_ops(), str(c)))
        if not calls:
            return definitions, expressions
        symbol = Symbol(f"f{len(definitions)}")
        definitions.append((symbol, FUNCTIONS[type(calls[0])], calls[0].args[0]))
        expressions = [e.subs(calls[0], symbol) for e in expressions]


def body(targets, expressions):
    """lines of C that compute the expressions; common parts once"""
    definitions, expressions = name_functions(list(expressions))
    lines = [f"    sp_lane {symbol} = {pattern.format(code(argument))};" for symbol, pattern, argument in definitions]
    parts, results = cse(expressions, symbols=numbered_symbols("x"), order="canonical")
    lines += [f"    sp_lane {symbol} = {code(part)};" for symbol, part in parts]
    for target, result in zip(targets, results):
        lines.append(f"    {target} = {f'lane_all({code(result)})' if result.is_Rational else code(result)};")
    return lines


def unused(name, lines):
    return not any(re.search(rf"\b{name}\b", line) for line in lines)


def function(head, comment, targets, expressions, coefficients, arguments):
    lines = [f"    sp_lane {c} = p[{i}];" for i, c in enumerate(coefficients)]
    lines += body(targets, expressions)
    lines += [f"    (void){a};" for a in arguments if unused(a.name, lines)]
    return [f"// {comment}", f"SP_POINTWISE void {head} {{"] + lines + ["}", ""]


def law(name, source, coefficients, density):
    pairs = [(d1, d1), (d2, d2), (j, j), (d1, d2), (d2, j), (d1, j)]
    expressions = [density] + [density.diff(v) for v in (d1, d2, j)] + [density.diff(v).diff(w) for v, w in pairs]
    head = f"law_{name}(const sp_lane *p, sp_lane d1, sp_lane d2, sp_lane j, sp_lane *W)"
    return function(head, source, [f"W[{i}]" for i in range(10)], expressions, coefficients, [d1, d2, j])


def isochoric(name, source, coefficients, density):
    expressions = [density] + [density.diff(v) for v in (b1, b2)] + [density.diff(v).diff(w) for v, w in [(b1, b1), (b2, b2), (b1, b2)]]
    head = f"law_{name}(const sp_lane *p, sp_lane b1, sp_lane b2, sp_lane *W)"
    return function(head, source, [f"W[{i}]" for i in range(6)], expressions, coefficients, [b1, b2])


def bars():
    expressions = []
    for d, b in BARS:
        expressions += [b, b.diff(d), b.diff(j), b.diff(d).diff(j), b.diff(j).diff(j)]
    comment = "b1 = Ibar1 - 3 with its derivatives by d1, j, d1 j, j j; b2 = Ibar2 - 3 by d2, j, d2 j, j j"
    head = "law_bars(sp_lane d1, sp_lane d2, sp_lane j, sp_lane *b)"
    return function(head, comment, [f"b[{i}]" for i in range(10)], expressions, [], [])


def volume(name, source, density):
    expressions = [density, density.diff(j), density.diff(j).diff(j)]
    return function(f"volume_{name}(sp_lane bulk, sp_lane j, sp_lane *W)", source, [f"W[{i}]" for i in range(3)], expressions, [], [])


def costa():
    pairs = [(q, q), (j, j), (q, j)]
    expressions = [COSTA] + [COSTA.diff(v) for v in (q, j)] + [COSTA.diff(v).diff(w) for v, w in pairs]
    head = "law_costa(const sp_lane *p, sp_lane q, sp_lane j, sp_lane *W)"
    return function(head, "Costa et al. 2001: a/2 (exp(J^(-4/3) q) - 1)", [f"W[{i}]" for i in range(6)], expressions, [a], [q, j])


def wrap(line, width=130):
    """breaks a line of C at spaces, with an indent of eight; a comment gets its slashes on every line"""
    out = []
    while len(line) > width:
        at = line.rfind(" ", 0, width + 1)
        out.append(line[:at])
        line = ("// " if line.startswith("// ") else "        ") + line[at + 1:]
    return out + [line]


HEAD = """// Written by tools/laws.py: change the energy densities there. Energy densities of laws [J/m3 of the rest shape] as
// functions of d1 = I1 - 3 - 2 (J - 1), d2 = I2 - 3 - 4 (J - 1) and j = J - 1, and their derivatives:
//     W = {psi, by d1, d2, j, by d1 d1, d2 d2, j j, d1 d2, d2 j, d1 j}
// or, for isochoric laws, as functions of b1 = Ibar1 - 3 and b2 = Ibar2 - 3:
//     W = {psi, by b1, b2, by b1 b1, b2 b2, b1 b2};   volume: {U, U', U''} by j
// or, for costa (kernels/costa.h), as functions of the quadratic form q of the strain and j:
//     W = {psi, by q, j, by q q, j j, q j}
#ifndef SP_LAWS_H
#define SP_LAWS_H

#include "kernels/functions.h"
#include "kernels/law.h"

// clang-format off
"""


PENALTY = """// adds the penalty k/2 (J - 1)^2 that p asks for to an energy and its first and second derivative by j
SP_POINTWISE void law_penalty(const sp_lane *p, sp_lane j, sp_lane *energy, sp_lane *first, sp_lane *second) {
    sp_lane U[3];
    if (!lane_any(p[SP_LAW_BULK] > 0)) return;
    volume_quadratic(p[SP_LAW_BULK], j, U);
    *energy += U[0], *first += U[1], *second += U[2];
}
"""


CHAIN = """// W of an isochoric law and a change of volume by d1, d2, j from their derivatives by b1, b2 and by j
SP_POINTWISE void law_chain(const sp_lane *b, const sp_lane *V, const sp_lane *U, sp_lane *W) {
    W[0] = V[0] + U[0];
    W[1] = V[1] * b[1];
    W[2] = V[2] * b[6];
    W[3] = V[1] * b[2] + V[2] * b[7] + U[1];
    W[4] = V[3] * b[1] * b[1];
    W[5] = V[4] * b[6] * b[6];
    W[6] = V[3] * b[2] * b[2] + 2 * V[5] * b[2] * b[7] + V[4] * b[7] * b[7] + V[1] * b[4] + V[2] * b[9] + U[2];
    W[7] = V[5] * b[1] * b[6];
    W[8] = b[6] * (V[4] * b[7] + V[5] * b[2]) + V[2] * b[8];
    W[9] = b[1] * (V[3] * b[2] + V[5] * b[7]) + V[1] * b[3];
}
"""


def choice(cases):
    """a chain of if and else if"""
    lines = []
    for i, (condition, call) in enumerate(cases):
        lines += [f"    {'else ' if i else ''}if ({condition})" if i < len(cases) - 1 else "    else", f"        {call};"]
    return lines


def dispatch():
    lines = PENALTY.splitlines() + [""] + CHAIN.splitlines() + ["", "// W of any law on invariants"]
    lines += ["SP_POINTWISE void law_invariants(sp_law law, const sp_lane *p, sp_lane d1, sp_lane d2, sp_lane j, sp_lane *W) {"]
    for name, *_ in LAWS:
        penalty = ["        law_penalty(p, j, W, W + 3, W + 6);"] if name in PENALISED else []
        lines += [f"    if (law == SP_LAW_{ENUM[name]}) {{", f"        law_{name}(p, d1, d2, j, W);"] + penalty + ["        return;", "    }"]
    lines += ["    sp_lane b[10], V[6], U[3];", "    law_bars(d1, d2, j, b);", "    law_volume(p, j, U);"]
    lines += choice([(f"law == SP_LAW_{ENUM[name]}", f"law_{name}(p, b[0], b[5], V)") for name, *_ in ISOCHORIC])
    lines += ["    law_chain(b, V, U, W);", "}", ""]
    return lines


def volumes():
    lines = ["// the energy of a change of volume that p asks for"]
    lines += ["SP_POINTWISE void law_volume(const sp_lane *p, sp_lane j, sp_lane *U) {"]
    lines += [f"    sp_lane kind = p[SP_LAW_VOLUME], {', '.join(f'{name}[3]' for name, *_ in VOLUMES)};"]
    lines += [f"    volume_{name}(p[SP_LAW_BULK], j, {name});" for name, *_ in VOLUMES]
    lines += ["    for (int i = 0; i < 3; i++) {", f"        U[i] = {VOLUMES[-1][0]}[i];"]
    lines += [f"        U[i] = SP_SELECT(kind == (sp_real)SP_LAW_VOLUME_{name.upper()}, {name}[i], U[i]);" for name, *_ in VOLUMES[:-1]]
    return lines + ["    }", "}", ""]


def generate():
    lines = []
    for entry in LAWS:
        lines += law(*entry)
    lines += bars()
    for entry in ISOCHORIC:
        lines += isochoric(*entry)
    for entry in VOLUMES:
        lines += volume(*entry)
    lines += volumes() + dispatch() + costa() + volume(*COSTA_VOLUME)
    text = "\n".join(piece for line in lines for piece in wrap(line))
    return f"{HEAD}\n{text}\n// clang-format on\n\n#endif\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", default=pathlib.Path(__file__).parent.parent / "src/kernels/laws.h")
    pathlib.Path(parser.parse_args().output).write_text(generate())
