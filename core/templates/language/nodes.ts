/** The tree of @handlebars/parser, as far as templates may use it; its own types cannot be resolved by tsc. */

export interface Offset {
  line: number;
  column: number;
}

interface Located {
  loc: { start: Offset; end: Offset };
}

export interface ProgramNode {
  body: StatementNode[];
  blockParams?: string[];
  /** The branch of an `{{else if}}`: its only statement is the next block of the chain. */
  chained?: boolean;
}

export type StatementNode = ContentNode | MustacheNode | BlockNode | OtherNode;

interface ContentNode extends Located {
  type: 'ContentStatement';
  value: string;
}

export interface CallNode extends Located {
  path: ExpressionNode;
  params: ExpressionNode[];
  hash?: HashNode | undefined;
}

export interface MustacheNode extends CallNode {
  type: 'MustacheStatement';
  escaped: boolean;
}

/** `{{^name}}` has an inverse only. */
export interface BlockNode extends CallNode {
  type: 'BlockStatement';
  program?: ProgramNode;
  inverse?: ProgramNode;
}

interface OtherNode extends Located {
  type: 'CommentStatement' | 'PartialStatement' | 'PartialBlockStatement' | 'Decorator' | 'DecoratorBlock';
}

export type ExpressionNode = PathNode | SubExpressionNode | LiteralNode | NothingNode | CollectionNode;

export interface PathNode extends Located {
  type: 'PathExpression';
  data: boolean;
  depth: number;
  parts: (string | SubExpressionNode)[];
  original: string;
}

interface SubExpressionNode extends CallNode {
  type: 'SubExpression';
}

interface LiteralNode extends Located {
  type: 'StringLiteral' | 'NumberLiteral' | 'BooleanLiteral';
  value: string | number | boolean;
}

interface NothingNode extends Located {
  type: 'UndefinedLiteral' | 'NullLiteral';
}

interface CollectionNode extends Located {
  type: 'ArrayLiteral' | 'HashLiteral';
}

export interface HashNode {
  pairs: { key: string; value: ExpressionNode }[];
}
